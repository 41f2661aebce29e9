"""Prose, data and pages."""
