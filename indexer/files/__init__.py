"""The files of a root: which ones count (`walk`), why others do not (`skip`, `ignore`), and reading them (`read`).

Whatever opens a file of a root does it through `confine`: no link is followed, and only regular files are read.
"""
