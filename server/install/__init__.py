"""Connecting coding agents: `settings` plans an edit of an agent's settings file, `command` shows it, asks and writes.

Never touches what it does not own: other entries, comments and files behind links stay as they are.
"""
