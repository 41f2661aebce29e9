"""A file change → index entries.

`Indexer.update` in `pipeline` is the whole journey: which files count, read, parse, chunk, extract, embed, commit. A
full index is the same function with every file as a change. This folder never answers queries.
"""
