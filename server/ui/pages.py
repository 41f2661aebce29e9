"""What each view of the explorer shows, from the same roots, tools and records that agents are answered from.

A view is one function: checked arguments → data. `VIEWS` has them all; `explorer.py` calls them by name.
"""

from __future__ import annotations

import dataclasses
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import sightline
from sightline.errors import QueryError
from sightline.graph.build.confidence import PROVEN
from sightline.server import arguments, heavy, tools
from sightline.server.answers import additions, payload, picture
from sightline.server.answers.answered import Expanded
from sightline.server.arguments import Argument
from sightline.server.progress import Call
from sightline.server.ui.shapes import (
    AboutOut,
    AnswerOut,
    AskedListOut,
    CommitOut,
    CrossingOut,
    FilePageOut,
    FilesOut,
    HeartbeatOut,
    LanguagesOut,
    MapOut,
    PastOut,
    PlaceOut,
    PulseOut,
    SymbolPageOut,
)
from sightline.tokens import estimate_tokens
from sightline.types import OBJECT_KINDS, RELATIONSHIP_TYPES, Object
from sightline.wire import Member

if TYPE_CHECKING:
    from sightline.changes.past import Touched
    from sightline.graph.read.walk import Expansion
    from sightline.server.app import App
    from sightline.server.root import Root
    from sightline.store import Snapshot

MAX_NODES = 2_000  # of the graph view
MAX_EDGES = 8_000
_SYMBOL_EDGES = 1_000  # of a symbol page
_FILES_PAGE = 200
_LOG_PAGE = 200

_ROOT = Argument("root", "text", "The root by name.", maximum=4_000)
_PATH = Argument("path", "text", "A file, relative to the root.", required=True, maximum=4_000)
_ID = Argument("id", "text", "The entity_id of a symbol.", required=True, maximum=16)
_GRAPH = (
    Argument("start", "text", "An entity_id, a name or path:line.", required=True, maximum=arguments.MAX_NAME_CHARS),
    Argument("direction", "text", "", default="both", choices=arguments.DIRECTIONS),
    Argument("relationship_types", "texts", "", choices=RELATIONSHIP_TYPES),
    Argument("depth", "integer", "", default=1, minimum=1, maximum=4),
    Argument("max_nodes", "integer", "", default=100, minimum=1, maximum=MAX_NODES),
    Argument("min_confidence", "number", "", default=0.0, minimum=0, maximum=1),
    _ROOT,
)
_MAP = (
    Argument("folder", "text", "", default="", maximum=4_000),
    Argument("levels", "integer", "", default=0, minimum=0, maximum=4),
    Argument("tests", "boolean", "", default=False),
    _ROOT,
)
_FILES = (
    Argument("state", "text", "", default="", choices=("", "indexed", "skipped", "failed")),
    Argument("containing", "text", "", default="", maximum=300),
    Argument("offset", "integer", "", default=0, minimum=0, maximum=10_000_000),
    _ROOT,
)


@dataclass(frozen=True, slots=True)
class View:
    """A view by its arguments and its function."""

    arguments: tuple[Argument, ...]
    show: Callable[[App, Mapping[str, Any], Call], Mapping[str, Any]]


def ask_tool(app: App, name: str, given: Mapping[str, Any], call: Call) -> AnswerOut:
    """A tool's answer, exactly as an agent gets it, beside the data; of a search also what each signal added."""
    tool = tools.tool_named(name)
    values = arguments.check(tool.arguments, given)
    app.wait_answerable(values["root"], call)
    began = time.perf_counter()
    answer = tool.run(app, values | {"explain": True} if tool is tools.SEARCH else values, call)
    data = dict(answer.payload)
    ms = round((time.perf_counter() - began) * 1000, 1)
    return {"text": answer.text, "tokens": estimate_tokens(answer.text), "found": answer.found, "ms": ms, "data": data}


def about(app: App, _: Mapping[str, Any], call: Call) -> AboutOut:
    """What the page asks for first."""
    return {
        "version": sightline.__version__,
        "roots": [{"name": root.name, "path": str(root.config.root)} for root in app.roots],
        "tools": {tool.name: tool.subject.name for tool in tools.TOOLS},
        "object_kinds": list(OBJECT_KINDS),
        "relationship_types": list(RELATIONSHIP_TYPES),
        "proven_confidence": PROVEN,
        "log_kept": app.asked is not None,
    }


def languages(app: App, _: Mapping[str, Any], call: Call) -> LanguagesOut:
    """The languages of all roots, which a search may be held to."""
    app.wait_answerable(None, call)
    counts: Counter[str] = Counter()
    for root in app.roots:
        snapshot = root.snapshot()
        records = snapshot.files.values() if snapshot is not None else ()
        counts.update(record.language for record in records if record.state == "indexed")
    return {"languages": dict(counts.most_common())}


def pulse(app: App, _: Mapping[str, Any], call: Call) -> PulseOut:
    """What changes by itself."""
    return {"roots": [_heartbeat(root) for root in app.roots], "memory_bytes": _memory_bytes()}


def _heartbeat(root: Root) -> HeartbeatOut:
    snapshot = root.snapshot()
    index = root.state(snapshot) if snapshot is not None else root.empty_status()
    done, total, doing = root.progress()
    service = root.service.status() if root.service is not None else None
    return {
        "name": root.name,
        "index": payload.index_payload(index),
        "last_change": snapshot.manifest.committed_at if snapshot is not None else 0.0,
        "writer": heavy.store.writer_pid(root.config.index_dir) or 0,
        "queued": service.queued if service is not None else 0,
        "error": str(service.error or "") if service is not None else "",
        "progress": {"done": done, "total": total, "doing": doing},
    }


def _memory_bytes() -> int:
    """What this process takes; where the system does not say, the most it ever took."""
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:  # noqa: PTH123  a path would say no more
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        if sys.platform == "win32":
            return 0
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def symbol(app: App, values: Mapping[str, Any], call: Call) -> SymbolPageOut:
    """Everything about one symbol."""
    root = _only(app, values["root"])
    app.wait_answerable(root.name, call)

    def ask(snapshot: Snapshot) -> _Known | None:
        position = snapshot.objects.position(values["id"]) if _is_id(values["id"]) else None
        return _known(snapshot, position) if position is not None else None

    known, answered = root.ask(ask, lambda found: found.paths if found is not None else [], call)
    index = payload.index_payload(answered.status)
    if known is None:
        return {
            "object": None,
            "language": "",
            "source": "",
            "members": [],
            "around": [],
            "objects": [],
            "relationships": [],
            "left_out": 0,
            "stale": False,
            "index": index,
        }
    lines = {node.entity_id: node.start_line for node in known.expansion.nodes}
    edges = known.expansion.edges
    return {
        "object": payload.object_payload(known.object),
        "language": known.object.language,
        "source": "\n".join(known.source),
        "members": known.members,
        "around": known.around,
        "objects": [payload.object_payload(node) for node in known.expansion.nodes],
        "relationships": [payload.relationship_payload(e, target_line=lines.get(e.target_id, 0)) for e in edges],
        "left_out": known.expansion.cut.edges,
        "stale": known.object.path in answered.stale,
        "index": index,
    }


@dataclass(frozen=True, slots=True)
class _Known:
    """What a snapshot says of a symbol."""

    object: Object
    source: list[str]
    members: list[Member]
    around: list[Member]
    expansion: Expansion

    @property
    def paths(self) -> list[str]:
        return list(dict.fromkeys([self.object.path, *(edge.path for edge in self.expansion.edges)]))


def _known(snapshot: Snapshot, position: int) -> _Known:
    objects = snapshot.objects
    (item,) = objects.get([position])
    inside = (objects.column("parent") == objects.ids[position]) & objects.alive
    members = objects.get(inside.nonzero()[0].tolist())
    around: list[Object] = []
    parent = objects.position(item.parent_id) if item.parent_id else None
    while parent is not None:
        around[:0] = objects.get([parent])
        parent = objects.position(around[0].parent_id) if around[0].parent_id else None
    types = [kind for kind in RELATIONSHIP_TYPES if kind != "contains"]
    expansion = heavy.walk.expand(
        snapshot,
        [item.entity_id],
        relationship_types=types,
        max_nodes=_SYMBOL_EDGES,
        max_edges=_SYMBOL_EDGES,
        include_external=True,
    )
    return _Known(
        item,
        additions.source_lines(snapshot, item) if item.kind != "module" else [],
        [payload.member_payload(each) for each in sorted(members, key=lambda each: each.start_line)],
        [payload.member_payload(each) for each in around],
        expansion,
    )


def past(app: App, values: Mapping[str, Any], call: Call) -> PastOut:
    """The commits that touched a symbol, where git knows; a view of its own, since it takes up to a second."""
    root = _only(app, values["root"])
    app.wait_answerable(root.name, call)
    snapshot = root.snapshot()
    position = snapshot.objects.position(values["id"]) if snapshot is not None and _is_id(values["id"]) else None
    if snapshot is None or position is None:
        return {"commits": [], "looked": 0, "of_file": 0, "shallow": False, "missing": "there is no such symbol"}
    (item,) = snapshot.objects.get([position])
    try:
        known = heavy.about.past(root, item)
    except QueryError as error:
        return {"commits": [], "looked": 0, "of_file": 0, "shallow": False, "missing": str(error)}
    return {
        "commits": [_commit(touched) for touched in known.touched],
        "looked": known.looked,
        "of_file": known.commits,
        "shallow": known.shallow,
        "missing": "",
    }


def _commit(touched: Touched) -> CommitOut:
    subject, _, reasons = touched.commit.message.strip().partition("\n")
    return {
        "id": touched.commit.id,
        "at": touched.commit.time,
        "what": touched.what,
        "subject": subject,
        "reasons": reasons.strip(),
    }


def graph(app: App, values: Mapping[str, Any], call: Call) -> Mapping[str, Any]:
    """The neighbourhood of a symbol, as `expand_graph` has it, but larger."""
    root = _only(app, values["root"])
    app.wait_answerable(root.name, call)

    def ask(snapshot: Snapshot) -> Expanded:
        found = heavy.walk.resolve_start(snapshot, values["start"])
        if not found.entity_ids:
            candidates, nearest = list(found.candidates), list(found.nearest)
            return Expanded(snapshot.status(), frozenset(), [], candidates=candidates, nearest=nearest)
        types = values["relationship_types"] or [kind for kind in RELATIONSHIP_TYPES if kind != "contains"]
        expansion = heavy.walk.expand(
            snapshot,
            found.entity_ids,
            direction=values["direction"],
            relationship_types=types,
            depth=values["depth"],
            max_nodes=values["max_nodes"],
            max_edges=MAX_EDGES,
            min_confidence=values["min_confidence"],
        )
        return Expanded(snapshot.status(), frozenset(), [], expansion)

    # Only the starts are compared with the disk: a picture of 2,000 symbols is not worth 2,000 looks.
    result, answered = root.ask(ask, _start_paths, call)
    result = dataclasses.replace(
        result or Expanded(answered.status, frozenset(), []),
        status=answered.status,
        stale=answered.stale,
        warnings=answered.warnings,
    )
    label = app.label(root)
    return cast(Mapping[str, Any], payload.graph_payload(values["start"], [(label, result)], app.api_version))


def _start_paths(found: Expanded | None) -> list[str]:
    if found is None or found.expansion is None:
        return []
    return [node.path for node in found.expansion.nodes if not found.expansion.depths[node.entity_id]]


def modules(app: App, values: Mapping[str, Any], call: Call) -> MapOut:
    """The map of a root."""
    root = _only(app, values["root"])
    app.wait_answerable(root.name, call)
    found, answered = root.ask(
        lambda snapshot: heavy.modulemap.module_map(
            snapshot, values["folder"] or "", levels=values["levels"], tests=bool(values["tests"])
        ),
        lambda _: (),
        call,
    )
    if found is None:
        raise QueryError("nothing is indexed yet", hint="the map follows when the index is there")
    drawn = picture.of_map(root.name, found)
    boxes, labels = picture.place(drawn), {node.key: node.label for node in drawn.nodes}
    ways = picture.ways(drawn, boxes)
    left, right = picture.sides(boxes.values(), ways.values())
    places: list[PlaceOut] = [
        {
            "path": area.path,
            "label": labels[area.path],
            "files": area.files,
            "lines": area.lines,
            "cycle": area.cycle,
            "x": boxes[area.path].x,
            "y": boxes[area.path].y,
            "width": boxes[area.path].width,
            "height": boxes[area.path].height,
        }
        for area in found.areas
    ]
    crossings: list[CrossingOut] = [
        {
            "source": each.source,
            "target": each.target,
            "proven": each.proven,
            "possible": each.possible,
            "in_cycle": each.in_cycle,
            "way": ways[each.source, each.target].path,
        }
        for each in found.crossings
    ]
    return {
        "folder": found.folder,
        "levels": found.levels,
        "left": round(left, 1),
        "right": round(right, 1),
        "places": places,
        "crossings": crossings,
        "cycles": [list(cycle) for cycle in found.cycles],
        "left_out": found.left_out,
        "index": payload.index_payload(answered.status),
    }


def file(app: App, values: Mapping[str, Any], call: Call) -> FilePageOut:
    """A file as it is on disk, and what it defines."""
    root, path = _only(app, values["root"]), values["path"]
    app.wait_answerable(root.name, call)
    text = root.file_text(path)

    def ask(snapshot: Snapshot) -> tuple[str, list[Member]]:
        record = snapshot.files.get(path)
        objects = snapshot.objects
        found = objects.get([p for p in objects.positions_of_path(path).tolist() if objects.alive[p]])
        members = [payload.member_payload(each) for each in found if each.kind != "module"]
        return record.language if record is not None else "", sorted(members, key=lambda m: m["start_line"])

    known, answered = root.ask(ask, lambda _: [path], call)
    language, members = known or ("", [])
    return {
        "path": path,
        "language": language,
        "text": text,
        "objects": members,
        "index": payload.index_payload(answered.status),
    }


def show_status(app: App, _: Mapping[str, Any], call: Call) -> Mapping[str, Any]:
    """Everything that `sightline status` tells."""
    app.wait_answerable(None, call)
    return {**app.status(), "memory_bytes": _memory_bytes()}


def files(app: App, values: Mapping[str, Any], call: Call) -> FilesOut:
    """Files and why they are in the index or not."""
    root = _only(app, values["root"])
    app.wait_answerable(root.name, call)
    collected = heavy.status.collect(root, files=True)
    wanted = [
        file
        for file in collected.get("files_list", ())
        if (not values["state"] or file["state"] == values["state"]) and values["containing"] in file["path"]
    ]
    ignored = [entry for entry in collected.get("ignored_list", ()) if values["containing"] in entry["path"]]
    start = values["offset"]
    return {
        "files": wanted[start : start + _FILES_PAGE],
        "total": len(wanted),
        "ignored": ignored[:_FILES_PAGE] if not start else [],
    }


def asked(app: App, _: Mapping[str, Any], call: Call) -> AskedListOut:
    """What agents asked lately, where that is written down."""
    if app.asked is None:
        return {"kept": False, "asked": []}
    return {"kept": True, "asked": list(app.asked(_LOG_PAGE))}


def _only(app: App, name: str | None) -> Root:
    """The root of this name; the first where none is named."""
    return app.choose(name)[0]


def _is_id(text: str) -> bool:
    return len(text) == 16 and all(letter in "0123456789abcdef" for letter in text)


VIEWS: Mapping[str, View] = {
    "about": View((), about),
    "asked": View((), asked),
    "file": View((_PATH, _ROOT), file),
    "files": View(_FILES, files),
    "graph": View(_GRAPH, graph),
    "languages": View((), languages),
    "map": View(_MAP, modules),
    "past": View((_ID, _ROOT), past),
    "pulse": View((), pulse),
    "status": View((), show_status),
    "symbol": View((_ID, _ROOT), symbol),
}
