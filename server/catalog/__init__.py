"""Serving a catalog: many published repositories, read from their bundles, none of them on this disk.

`shelf` fetches bundles when they are first asked of, keeps them within bounds and opens their snapshots; it is the one
place where a snapshot of a catalog is opened, and it opens none that the one who asks may not see. `root` is what a
repository answers without a work tree, `app` all that somebody sees, and `tokens` who sees what. Nothing is written
but the cache, and nothing is watched.
"""
