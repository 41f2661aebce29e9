"""From files to relationships: `extract` states a file's facts, `Resolver` in `resolve` relates the facts of all files.

The stages are facts → table → evaluate → edges. Resolving reads other files through the table alone, which is what
keeps an update as right as a fresh index.
"""
