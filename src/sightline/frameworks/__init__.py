"""Routes of web frameworks, read from source text: which address leads to which function.

`joining.routes_of` is the one entry. What is known of a framework is data, one small file each in `rules/`; the readers
of the styles in which frameworks state routes are code (`routers`, `classes`, …). Nothing here knows the index: it is
given texts and gives names and places.
"""
