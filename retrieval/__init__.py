"""A query → hits.

`search.search` is the whole journey: lanes, fusion, re-ranking, cut. It sees one snapshot from start to end and never
writes to the index.
"""
