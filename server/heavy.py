"""The parts of the core that take long to import, each imported when something of it is first used.

A client waits for `initialize` and the list of tools, which need none of them: numpy, the store and the retrieval take
a second together, the writer and the research as long again. This is the one place where the wiring of a root imports
late; everything else imports at the top and says `heavy.search.search(…)`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__all__ = [
    "about",
    "adjacency",
    "changes",
    "cursor",
    "elsewhere",
    "embed",
    "filters",
    "firstlook",
    "graph_export",
    "modulemap",
    "pipeline",
    "preparing",
    "report_files",
    "research",
    "routes",
    "search",
    "service",
    "status",
    "store",
    "symbols",
    "texts",
    "walk",
]

if TYPE_CHECKING:
    from sightline import embed, store
    from sightline.changes import report as changes
    from sightline.graph.read import adjacency, symbols, walk
    from sightline.graph.read import export as graph_export
    from sightline.indexer import pipeline, service
    from sightline.retrieval import cursor, filters, research, search
    from sightline.retrieval.report import files as report_files
    from sightline.retrieval.research import map as modulemap
    from sightline.retrieval.routes import shown as routes
    from sightline.server import about, elsewhere, firstlook, preparing, texts
    from sightline.server.answers import status
else:

    class _Later:
        """Stands for a module until something of it is wanted."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, attribute: str) -> Any:
            return getattr(importlib.import_module(self._name), attribute)

    about = _Later("sightline.server.about")
    adjacency = _Later("sightline.graph.read.adjacency")
    changes = _Later("sightline.changes.report")
    cursor = _Later("sightline.retrieval.cursor")
    elsewhere = _Later("sightline.server.elsewhere")
    embed = _Later("sightline.embed")
    filters = _Later("sightline.retrieval.filters")
    firstlook = _Later("sightline.server.firstlook")
    graph_export = _Later("sightline.graph.read.export")
    modulemap = _Later("sightline.retrieval.research.map")
    pipeline = _Later("sightline.indexer.pipeline")
    preparing = _Later("sightline.server.preparing")
    report_files = _Later("sightline.retrieval.report.files")
    research = _Later("sightline.retrieval.research")
    routes = _Later("sightline.retrieval.routes.shown")
    search = _Later("sightline.retrieval.search")
    service = _Later("sightline.indexer.service")
    status = _Later("sightline.server.answers.status")
    store = _Later("sightline.store")
    symbols = _Later("sightline.graph.read.symbols")
    texts = _Later("sightline.server.texts")
    walk = _Later("sightline.graph.read.walk")
