"""Routes of web frameworks in one snapshot: which code answers an address, and which addresses lead to a symbol.

`find.routes_in` is the one entry. `sightline.frameworks` reads the texts; here the index says which files to read and
which object a handler is. The lines are those of the texts that are given, as a rule those on disk; what was read of a
text is kept by its content (`opened`), and an answer with its snapshot, until a file looks different. Nothing is
imported here: a search that names no address has no need of it.
"""
