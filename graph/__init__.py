"""Objects and the relationships between them.

`extract` turns a parsed file into its objects and unresolved facts, `resolve` turns the facts of all files into
relationships and keeps them right while files change, `symbols` finds objects by name and `walk` traverses the graph.
This folder never reads files and never ranks search results.
"""
