"""The `sightline` command: `main` runs it, `commands` has one function per command.

Nothing heavy is imported before a command needs it, so that `--help` and completion are quick.
"""
