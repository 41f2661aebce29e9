"""Many repositories, indexed side by side and published to one place, on a cluster of Ray.

`listing` reads which repositories there are, `job` does one of them with the very commands that a person would type
(git clone, sightline publish), each in a process of its own, and `cluster` hands the jobs to Ray, which nothing else
imports. What a job gives is a bundle and its entry in the catalog (`indexer/bundles/`); the list of all entries is
written last.
"""
