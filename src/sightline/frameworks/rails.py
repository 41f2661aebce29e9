"""Routes as Rails draws them: blocks in blocks, and `resources` that stand for seven actions each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sightline.frameworks.addresses import VERBS, joined
from sightline.frameworks.masked import UNKNOWN, MaskedText
from sightline.frameworks.model import FileRoutes, Handler, Mount, Rules, Stated
from sightline.frameworks.words import plural, singular

ACTIONS: dict[str, tuple[tuple[str, ...], str]] = {
    "index": (("GET",), ""),
    "create": (("POST",), ""),
    "new": (("GET",), "new"),
    "edit": (("GET",), "{id}/edit"),
    "show": (("GET",), "{id}"),
    "update": (("PUT", "PATCH"), "{id}"),
    "destroy": (("DELETE",), "{id}"),
}
_DRAW = re.compile(r"([\w:]+)?\.?routes\.(?:draw|append|prepend)\b")
_WORD = re.compile(r"\s*(?:[\w.]+\.)?(?P<word>[a-z_]+)\b\s*(?P<open>\(?)")
_BLOCK = re.compile(r"\bdo\s*(?:\|[^|]*\|)?\s*$|(?<=[\w)\"'\]])\s*\{\s*(?:\|[^|]*\|)?\s*$")
_OPENS = re.compile(
    r"^\s*(?:if|unless|case|while|until|def|class|module|begin|for)\b|(?:=|\()\s*(?:if|unless|case|begin)\b[^;]*$"
)
_ONE_LINE = re.compile(
    r"(?:\bdo\b|\{)\s*(?P<inner>(?:get|post|put|patch|delete|match|mount|resources?)\b.*?)\s*(?:\bend|\})\s*$"
)
_PAIR = re.compile(r"\s*(?::(?P<old>\w+)\s*=>|(?P<new>\w+):(?!:))\s*")
_MAX_DEPTH = 40  # blocks in blocks
_MAX_STATEMENT, _MAX_LINE = 4_000, 400  # characters that are looked at
_CONFIDENCE = 0.95
_EXPANDED = 0.9


@dataclass(frozen=True, slots=True)
class _Frame:
    """What holds inside of a block."""

    path: str = ""
    module: str = ""
    controller: str = ""
    resource: str = ""  # the path of the resources around, without the id
    single: bool = False  # `resource`
    param: str = "id"
    engine: str = ""  # that these routes are drawn for
    on: str = ""  # "member" or "collection"
    drawing: bool = False  # inside of `routes.draw`, or in a file that is drawn as a whole
    skipped: bool = False  # a `concern` is drawn where it is used


@dataclass(slots=True)
class _Said:
    """The arguments of a statement."""

    plain: list[str]
    keyed: dict[str, list[str]]
    arrow: tuple[str, str] | None = None  # `"x" => "c#a"`


def read(source: MaskedText, rules: Rules) -> FileRoutes:
    """Everything that a file of routes draws."""
    found = FileRoutes()
    reader = _Reader(source, rules, found)
    reader.run()
    return found


class _Reader:
    def __init__(self, source: MaskedText, rules: Rules, found: FileRoutes) -> None:
        self._source, self._rules, self._found = source, rules, found
        self._stack: list[_Frame] = [_Frame(drawing="config/routes/" in source.path)]

    def run(self) -> None:
        """Go through the statements."""
        for start, end in _statements(self._source):
            self._statement(start, end)

    def _statement(self, start: int, end: int) -> None:
        end = min(end, start + _MAX_STATEMENT)
        code = self._source.code[start:end]
        stripped = code.strip()
        if re.match(r"(?:end\b|\})", stripped):
            if len(self._stack) > 1:
                self._stack.pop()
            return
        drawn = _DRAW.search(code)
        inner = _ONE_LINE.search(code) if len(code) <= _MAX_LINE else None
        block = _BLOCK.search(code)
        if drawn is not None:
            self._push(_engine(drawn[1] or ""))
            if block is None and inner is not None:
                self._statement(start + inner.start("inner"), start + inner.end("inner"))
                self._stack.pop()
            return
        top = self._stack[-1]
        quiet = top.skipped or not top.drawing
        frame = self._frame(start, end if block is None else start + block.start()) if not quiet else top
        if inner is not None and block is None and not quiet:
            self._drawn(start, start + inner.start(), top)
            self._stack.append(frame or top)
            self._statement(start + inner.start("inner"), start + inner.end("inner"))
            self._stack.pop()
            return
        if not quiet:
            self._drawn(start, end if block is None else start + block.start(), top)
        if block is not None:
            self._push(frame or top)
        elif _OPENS.search(code):
            self._push(top)

    def _push(self, frame: _Frame) -> None:
        self._stack.append(frame if len(self._stack) < _MAX_DEPTH else self._stack[-1])

    def _frame(self, start: int, end: int) -> _Frame | None:
        """What a statement with a block means for what is inside of it."""
        word, said = self._said(start, end)
        top = self._stack[-1]
        if word == "namespace" and said.plain:
            name = said.plain[0]
            path = said.keyed.get("path", [name])[0]
            module = said.keyed.get("module", [name])[0]
            return replace(top, path=joined(top.path, path), module=_under(top.module, module), resource="", on="")
        if word == "scope":
            path = "/".join(said.plain) or said.keyed.get("path", [""])[0]
            module = said.keyed.get("module", [""])[0]
            controller = said.keyed.get("controller", [top.controller])[0]
            path = "" if path == "nil" else path
            return replace(top, path=joined(top.path, path), module=_under(top.module, module), controller=controller)
        if word in ("resources", "resource") and said.plain:
            return self._resource(top, word, said)
        if word in ("member", "collection", "new") and top.resource:
            return replace(top, on=word)
        if word == "controller" and said.plain:
            return replace(top, controller=said.plain[0])
        if word == "concern":
            return replace(top, skipped=True)
        return None

    def _resource(self, top: _Frame, word: str, said: _Said) -> _Frame:
        name = said.plain[-1]
        path = said.keyed.get("path", [name])[0]
        base = joined(_nested(top), path)
        controller = said.keyed.get("controller", [name if word == "resources" else plural(name)])[0]
        module = _under(top.module, said.keyed.get("module", [""])[0])
        param = said.keyed.get("param", ["id"])[0]
        return _Frame(
            base, module, controller, base, word == "resource", f"{singular(name)}_{param}", top.engine,
            drawing=True,
        )  # fmt: skip

    def _drawn(self, start: int, end: int, top: _Frame) -> None:
        word, said = self._said(start, end)
        line = self._source.line(start)
        if word in ("resources", "resource"):
            for name in said.plain:
                self._expanded(top, word, name, said, start, line)
        elif word.upper() in VERBS or word == "match":
            self._verb(top, word, said, start, line)
        elif word == "root":
            target = said.plain[0] if said.plain else said.keyed.get("to", [""])[0]
            self._add(top, ("GET",), top.path or "/", target, start, line, word)
        elif word == "mount":
            self._mounted(top, said, start, end, line)
        elif word == "draw" and said.plain:
            self._found.mounts.append(Mount(top.path, f"config/routes/{said.plain[0]}.rb", top.path, start))

    def _expanded(self, top: _Frame, word: str, name: str, said: _Said, start: int, line: int) -> None:
        frame = self._resource(top, word, _Said([name], said.keyed))
        wanted = set(ACTIONS)
        if "only" in said.keyed:
            wanted &= set(said.keyed["only"])
        wanted -= set(said.keyed.get("except", ()))
        param = said.keyed.get("param", ["id"])[0]
        for action, (methods, end) in ACTIONS.items():
            if action not in wanted or (action == "index" and word == "resource"):
                continue
            end = re.sub(r"\{id\}/?", "", end) if word == "resource" else end.replace("{id}", f":{param}")
            self._add(frame, methods, joined(frame.path, end), f"{frame.controller}#{action}", start, line, word)

    def _verb(self, top: _Frame, word: str, said: _Said, start: int, line: int) -> None:
        methods: tuple[str, ...] = (word.upper(),)
        if word == "match":
            via = [verb.upper() for verb in said.keyed.get("via", ())]
            methods = tuple(verb for verb in via if verb in VERBS)
        base = self._base(top, said.keyed.get("on", [""])[0])
        if said.arrow is not None:
            self._add(top, methods, joined(base, said.arrow[0]), said.arrow[1], start, line, word)
            return
        for path in said.plain:
            target = said.keyed.get("to", [""])[0] or said.keyed.get("action", [""])[0]
            if not target:
                bare = path.strip("/")
                target = bare.replace("/", "#", 1) if "/" in bare and not top.controller else bare.rpartition("/")[2]
                target = target.replace("-", "_")
                if "#" not in target and not top.controller and top.module:
                    target = f"/{top.module}#{target}"  # `namespace :site do get "settings"` is site#settings
            controller = said.keyed.get("controller", [""])[0]
            target = f"{controller}#{target}" if controller and "#" not in target else target
            self._add(top, methods, joined(base, path), target, start, line, word)

    def _base(self, top: _Frame, on: str) -> str:
        on = on or top.on
        if not top.resource or on == "collection" or top.single:
            return top.path
        if on == "member":
            return joined(top.path, f":{top.param.rpartition('_')[2]}")
        return joined(top.path, f":{top.param}") if top.path == top.resource else top.path

    def _mounted(self, top: _Frame, said: _Said, start: int, end: int, line: int) -> None:
        code = self._source.text[start:end]
        named = re.search(r"mount\s*\(?\s*(::)?([A-Z][\w:]*)", code)
        at = said.keyed.get("at", [said.arrow[1] if said.arrow is not None else ""])[0]
        if named is None or not at:
            return
        name = named[2]
        self._found.mounts.append(Mount(top.path, name, joined(top.path, at), start))
        if not name.endswith("Engine"):
            address = joined(top.path, at, "*rest")
            handler = Handler(name.replace("::", "."), "", line)
            self._found.routes.append(Stated(self._rules, (), address, top.engine, handler, start, line, "mount", 0.9))

    def _add(
        self, top: _Frame, methods: tuple[str, ...], address: str, target: str, start: int, line: int, how: str
    ) -> None:
        controller, _, action = target.rpartition("#")
        controller = controller or top.controller
        if not action or UNKNOWN in target or not controller or not re.fullmatch(r"[\w/]+", controller):
            return
        whole = controller.removeprefix("/") if controller.startswith("/") else _under(top.module, controller)
        partial = "part of the address is put together at run time" if UNKNOWN in address else ""
        expanded = how in ("resources", "resource")
        self._found.routes.append(
            Stated(
                self._rules,
                methods,
                address,
                top.engine,
                Handler(action, "", line, whole),
                start,
                line,
                how,
                _EXPANDED if expanded else _CONFIDENCE,
                partial=partial,
            )
        )

    def _said(self, start: int, end: int) -> tuple[str, _Said]:
        """The word of a statement, and its arguments."""
        source = self._source
        match = _WORD.match(source.code, start, end)
        if match is None:
            return "", _Said([], {})
        begin = match.end()
        if match["open"]:
            end = min(end, source.closing(begin - 1))
        said = _Said([], {})
        for left, right in source.parts(begin, end):
            guarded = re.search(r"\s(?:if|unless)\s", source.code[left:right])
            right = left + guarded.start() if guarded is not None else right
            pair = _PAIR.match(source.code, left, right)
            if pair is not None:
                said.keyed[pair["old"] or pair["new"]] = self._values(pair.end(), right)
                continue
            arrow = re.search(r"\s*=>\s*", source.code[left:right])
            if arrow is not None:
                values = [*self._values(left, left + arrow.start()), *self._values(left + arrow.end(), right)]
                said.arrow = (values[0], values[1]) if len(values) == 2 else None
                continue
            said.plain += [value for value in self._values(left, right) if value]
        return match["word"], said

    def _values(self, start: int, end: int) -> list[str]:
        code, text = self._source.code[start:end].strip(), self._source.text[start:end].strip()
        listed = re.match(r"%[wi][\[({](.*)[\])}]$", text, re.DOTALL)
        if listed is not None:
            return listed[1].split()
        if code.startswith("["):
            opened = self._source.code.index("[", start)
            return [
                v for part in self._source.parts(opened + 1, self._source.closing(opened)) for v in self._values(*part)
            ]
        if re.fullmatch(r":\w+[?!]?", code):
            return [code[1:]]
        if code[:1] == ":" and code[1:2] in "\"'":
            return [text[2:-1]]
        if code[:1] in "\"'":
            return [
                self._source.value(
                    start + len(self._source.code[start:end]) - len(self._source.code[start:end].lstrip()), end
                )
            ]
        return [text] if re.fullmatch(r"[\w:]+", text) else [UNKNOWN]


def _statements(source: MaskedText) -> Iterator[tuple[int, int]]:
    """Where each statement begins and ends: lines, put together where brackets or commas go on."""
    code = source.code
    begin, depth = 0, 0
    for match in re.finditer(r"[^\n]*(?:\n|\Z)", code):
        line = match[0]
        if not line.strip() and begin == match.start():
            begin = match.end()
            continue
        depth += sum(line.count(c) for c in "([") - sum(line.count(c) for c in ")]")
        block = _BLOCK.search(line)
        hashes = line[: block.start()] if block is not None else line
        braces = hashes.count("{") - hashes.count("}")
        depth += braces if braces > 0 or depth > 0 else 0
        ends = line.rstrip()
        if depth <= 0 and not ends.endswith((",", "\\", "=>", "=", ".")):
            yield begin, match.end()
            begin, depth = match.end(), 0


def _engine(name: str) -> _Frame:
    """What is drawn for an engine stands below where that is mounted."""
    if not name.endswith("Engine"):
        return _Frame(drawing=True)
    return _Frame(engine=name, drawing=True)


def _nested(top: _Frame) -> str:
    if not top.resource or top.single or top.on == "collection":
        return top.path
    if top.on == "member":
        return joined(top.path, f":{top.param.rpartition('_')[2]}")
    return joined(top.path, f":{top.param}") if top.path == top.resource else top.path


def _under(module: str, name: str) -> str:
    return f"{module}/{name}".strip("/") if module and name else name or module
