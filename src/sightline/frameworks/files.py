"""Routes by where files lie, as Next.js has them: `app/users/[id]/route.ts`, `pages/api/users.ts`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sightline.frameworks.addresses import VERBS
from sightline.frameworks.masked import MaskedText
from sightline.frameworks.model import FileRoutes, Handler, Rules, Stated

_VERB = "|".join(VERBS)
_EXPORTED = re.compile(
    rf"\bexport\s+(?:async\s+)?(?:function\s+|(?:const|let|var)\s+)(?P<name>{_VERB})\b"
    rf"|\bexport\s*\{{[^}}]*?\b(?P<listed>{_VERB})\b"
)
_DEFAULT = re.compile(r"\bexport\s+default\s+(?:async\s+)?(?:function\s*\*?\s*|class\s+)?(?P<name>[A-Za-z_$][\w$]*)?")
_APP = re.compile(r"^(?:src/)?app/(?P<folders>(?:.+/)?)(?P<file>route|page)\.(?:[jt]sx?|mjs)$")
_PAGES = re.compile(r"^(?:src/)?pages/(?P<stem>.+)\.(?:[jt]sx?|mjs)$")
_OWN = frozenset({"_app", "_document", "_error", "404", "500", "_middleware"})
_CONFIDENCE = 0.95


def read(source: MaskedText, rules: Rules, home: str) -> FileRoutes:
    """The routes of a file in the application that lies in the folder `home`."""
    found = FileRoutes()
    path = source.path.removeprefix(f"{home}/") if home else source.path
    app, pages = _APP.match(path), _PAGES.match(path)
    if app is not None:
        address = _address(app["folders"].split("/"))
        if address is not None:
            stated = _verbs(source, rules, address) if app["file"] == "route" else _page(source, rules, address)
            found.routes += stated
    elif pages is not None:
        parts = pages["stem"].split("/")
        if parts[-1] not in _OWN:
            address = _address(parts[:-1] if parts[-1] == "index" else parts)
            api = parts[0] == "api"
            if address is not None:
                found.routes += _page(source, rules, address, methods=() if api else ("GET",))
    return found


def _address(folders: list[str]) -> str | None:
    """The address of folders: groups and slots do not show, private ones have none."""
    if any(folder.startswith("_") for folder in folders):
        return None
    shown = [f for f in folders if f and not (f.startswith("(") and f.endswith(")")) and not f.startswith("@")]
    if any(re.match(r"\(\.+\)", folder) for folder in shown):
        return None  # shown in place of another route
    return "/" + "/".join(shown)


def _verbs(source: MaskedText, rules: Rules, address: str) -> Iterator[Stated]:
    for match in _EXPORTED.finditer(source.code):
        name = match["name"] or match["listed"]
        yield _stated(source, rules, (name,), address, name, match.start(), f"export {name}")


def _page(source: MaskedText, rules: Rules, address: str, methods: tuple[str, ...] = ("GET",)) -> Iterator[Stated]:
    match = _DEFAULT.search(source.code)
    if match is None:
        return
    name = match["name"] or ""
    if name in ("async", "function", "class", "memo", "dynamic"):
        name = ""
    bound = re.search(rf"\b(?:function|const|class)\s+{re.escape(name)}\b", source.code) if name else None
    at = bound.start() if bound is not None else match.start()
    yield _stated(source, rules, methods, address, name if bound else "", at, "export default")


def _stated(
    source: MaskedText, rules: Rules, methods: tuple[str, ...], address: str, name: str, at: int, how: str
) -> Stated:
    line = source.line(at)
    return Stated(
        rules,
        methods,
        address,
        "",
        Handler(name, source.path, line, end=0 if name else line),
        at,
        line,
        how,
        _CONFIDENCE,
    )
