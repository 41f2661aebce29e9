"""What a change touches: from a diff to symbols, to what depends on them, to the tests to run; and what history tells.

`report.report` is the whole journey. Git is asked through the indexer's guarded runner, old contents are parsed by the
indexer's workers, and the graph is that of a snapshot. Nothing here writes into the repository, and nothing is sent.
"""
