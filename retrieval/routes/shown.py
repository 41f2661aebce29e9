"""What a search shows of routes: where its query names an address, what answers that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.types import Query, RouteShown

if TYPE_CHECKING:
    from sightline.retrieval.research.occurrences import Texts
    from sightline.store import Snapshot

_MOST = 3


def shown(snapshot: Snapshot, texts: Texts, query: Query) -> list[RouteShown]:
    """The routes that answer the address of a query, best first; none where it names none."""
    if "/" not in query.text:  # most queries: they wait neither for patterns nor for what reads routes
        return []
    from sightline.retrieval.routes.asked import address

    about = address(query.text, snapshot.files)
    if about is None:
        return []
    from sightline.retrieval.filters import PathFilter
    from sightline.retrieval.routes.find import routes_in
    from sightline.retrieval.routes.lines import route_line

    allowed = PathFilter(query.filters.file_filter, query.filters.exclude_filter)
    fitting = [one for _, one in routes_in(snapshot, texts).answering(about.method, about.address)]
    mine = [one for one in fitting if allowed.allows(one.path) or allowed.allows(one.route.path)]
    return [RouteShown(route_line(one), tuple(dict.fromkeys((one.route.path, one.path)))) for one in mine[:_MOST]]
