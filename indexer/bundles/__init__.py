"""The index of a commit, published once and taken over by everybody who has that commit among theirs.

`publish` writes a bundle to a place, `pull` begins a root's index with the nearest one; what differs is then indexed as
after any other change. A bundle is data: it is checked before anything of it is used, and what is wrong with it has a
name (`BundleError`) and ends in a local index. Nothing is taken from a place that the person has not named or allowed.
"""
