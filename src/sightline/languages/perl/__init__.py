"""Perl."""
