"""One file → its chunks, objects, facts and vectors, always in another process.

`workers` hands files to worker processes and quarantines what kills, hangs or bloats its parser; `analyse` is the work.
"""
