"""What analysing a file gave, kept by the file's content and shared by all roots of a user.

`AnalysisCache` is the one entry point: it says which of an update's files were analysed before, gives their entries,
and keeps new ones. It is bounded, and only ever a shortcut: whatever is wrong with it, files are analysed as if it were
not there. It never sees the index.
"""
