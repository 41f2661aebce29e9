"""Terraform, container files and Nix: what they define, and no relationships."""
