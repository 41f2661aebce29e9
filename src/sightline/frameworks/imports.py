"""What a file imports from other files of the root, as far as routers are handed on by it: Python and JavaScript."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from sightline.frameworks.masked import MaskedText
from sightline.frameworks.places import Places, stem_of

_FROM = re.compile(r"^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]+(?:\(([^)]{0,4000}+)\)|([^\n]*+))", re.MULTILINE)
_IMPORT = re.compile(
    r"^[ \t]*import[ \t]+([.\w]+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[.\w]+(?:[ \t]+as[ \t]+\w+)?)*)", re.M
)
_NAMED = re.compile(r"([\w$]+)(?:\s+as\s+|\s*:\s*)?([\w$]+)?")
_JS_IMPORT = re.compile(
    r"\bimport\s++(?:type\s++)?(?:(?P<default>[\w$]++)\s*+,?\s*+)?(?:\*\s*+as\s++(?P<all>[\w$]++)|\{(?P<named>[^}]{0,4000}+)\})?\s*+"
    r"from\s*(?P<quote>[\"'])(?P<module>[^\"']+)(?P=quote)"
)
_REQUIRE = re.compile(
    r"\b(?:const|let|var)\s+(?:(?P<name>[\w$]+)(?:\s*:\s*[\w.]+)?|\{(?P<named>[^}]{0,4000}+)\})\s*+=\s*(?:await\s+import|require)\s*\(\s*"
    r"[\"'](?P<module>[^\"']+)[\"']\s*\)(?:\s*\.\s*(?P<member>[\w$]+))?"
)
_TAKEN = re.compile(r"^require\s*\(\s*[\"']([^\"']+)[\"']\s*\)(?:\s*\.\s*([\w$]+))?$")
_DEFAULT = re.compile(
    r"\bmodule\.exports\s*=\s*(?:exports\s*=\s*)?([\w$]+)\s*[;\n]|\bexport\s+default\s+([\w$]+)\s*(?:[;\n]|$)|\bexport\s*=\s*([\w$]+)"
)
_HANDED_ON = re.compile(r"\bmodule\.exports\s*=\s*require\(\s*[\"']([^\"']+)[\"']\s*\)\s*;?\s*$", re.MULTILINE)
_ENDINGS = ("", ".ts", ".js", ".tsx", ".jsx", ".mjs", ".cjs", ".mts", "/index.ts", "/index.js", "/index.mjs")
DEFAULT = "(default)"  # what a file exports without a name
_MAX_STEPS = 6  # of names that are handed on from file to file

Exists = Callable[[str], bool]
Open = Callable[[str], MaskedText | None]


@dataclass(slots=True)
class Imports:
    """Local names → (module as written, name there); "" is the module itself, "default" what it exports."""

    names: dict[str, tuple[str, str]] = field(default_factory=dict)


def imports_of(source: MaskedText) -> Imports:
    """What a file imports."""
    found = Imports()
    if source.language == "python":
        for match in _FROM.finditer(source.code):
            for original, local in _NAMED.findall(match[2] or match[3] or ""):
                found.names[local or original] = (match[1], original)
        for match in _IMPORT.finditer(source.code):
            for part in match[1].split(","):
                words = part.split()
                found.names[words[-1] if len(words) == 3 else words[0]] = (words[0], "")
    elif source.family == "javascript":
        for match in _JS_IMPORT.finditer(source.text):
            module = match["module"]
            if match["default"]:
                found.names[match["default"]] = (module, "default")
            if match["all"]:
                found.names[match["all"]] = (module, "")
            for original, local in _NAMED.findall(match["named"] or ""):
                found.names[local or original] = (module, original)
        for match in _REQUIRE.finditer(source.text):
            if match["name"]:
                found.names[match["name"]] = (match["module"], match["member"] or "default")
            for original, local in _NAMED.findall(match["named"] or ""):
                found.names[local or original] = (match["module"], original)
    return found


class Modules:
    """Finds the file and the name that an expression of another file means."""

    def __init__(self, places: Places, open_: Open) -> None:
        self._places, self._paths, self._open = places, places.languages, open_
        self._meant: dict[tuple[str, str], tuple[str, str] | None] = {}

    def imports(self, source: MaskedText) -> Imports:
        """What a file imports, read once."""
        return source.notes.once("imports", lambda: imports_of(source))

    def meant(self, source: MaskedText, expression: str) -> tuple[str, str] | None:
        """(path, name) of what an expression stands for in another file; the name is "" for the file itself."""
        key = (source.path, expression.strip())
        if key not in self._meant:
            self._meant[key] = self._looked_up(source, expression.strip())
        return self._meant[key]

    def _looked_up(self, source: MaskedText, expression: str) -> tuple[str, str] | None:
        taken = _TAKEN.match(expression)
        if taken is not None:
            return self._exported(source.path, taken[1], taken[2] or "default", _MAX_STEPS)
        if expression[:1] in "\"'":
            path = self.file(source, expression.strip("\"'"))
            return (path, "") if path is not None else None
        if not re.fullmatch(r"[\w$]+(?:\.[\w$]+)*", expression):
            return None
        return self._named(source, expression, _MAX_STEPS)

    def _named(self, source: MaskedText, expression: str, steps: int) -> tuple[str, str] | None:
        names = self.imports(source).names
        parts = expression.split(".")
        for size in range(len(parts), 0, -1):
            head = ".".join(parts[:size])
            if head not in names:
                continue
            module, name = names[head]
            rest = parts[size:]
            if source.family == "javascript":
                member = rest[0] if rest and name in ("", "default") else name
                return self._exported(source.path, module, member or "default", steps)
            return self._python_name(source, module, [*([name] if name else []), *rest], steps)
        return None

    def _python_name(self, source: MaskedText, module: str, names: list[str], steps: int) -> tuple[str, str] | None:
        for size in range(len(names), -1, -1):  # the longest that is a module
            joint = "" if module.endswith(".") else "."
            dotted = module + (joint + ".".join(names[:size]) if size else "")
            path = self.file(source, dotted)
            if path is None:
                continue
            rest = names[size:]
            there = self._open(path)
            if rest and there is not None and steps and not _binds(there, rest[0]):
                onward = self._named(there, ".".join(rest), steps - 1)
                if onward is not None:
                    return onward
            return path, rest[0] if rest else ""
        return None

    def _exported(self, path: str, module: str, name: str, steps: int) -> tuple[str, str] | None:
        found = self._javascript(path, module)
        if found is None:
            return None
        there = self._open(found)
        if there is None:
            return found, name
        if name == "default":
            name = there.notes.once("default", lambda: _default(there))
        if name != DEFAULT and not _binds(there, name):
            renamed = there.notes.once(("exported as", name), lambda: _exported_as(there, name))
            if renamed and _binds(there, renamed):
                return found, renamed
        if name != DEFAULT and steps and name in self.imports(there).names:
            onward = self._named(there, name, steps - 1)
            if onward is not None:
                return onward
        handed = _handed_on(there) if steps and (name == DEFAULT or not _binds(there, name)) else ""
        if handed:
            return self._exported(found, handed, name if name != DEFAULT else "default", steps - 1)
        if name != DEFAULT and steps and not _binds(there, name):
            onward = self._named(there, name, steps - 1)
            if onward is not None:
                return onward
        return found, name

    def file(self, source: MaskedText, module: str) -> str | None:
        """The file of a module."""
        if source.family == "javascript":
            return self._javascript(source.path, module)
        dots = len(module) - len(module.lstrip("."))
        parts = [part for part in module.split(".") if part]
        if dots:
            folder = source.path
            for _ in range(dots):
                folder = posixpath.dirname(folder)
            return self._first(posixpath.join(folder, *parts))
        if not parts:
            return None
        tail = "/".join(parts)
        fitting = [p for p in self._places.python.get(parts[-1], ()) if f"/{stem_of(p)}".endswith(f"/{tail}")]
        shared = [(len(posixpath.commonpath([p, source.path])), p) for p in fitting]
        return max(shared, key=lambda pair: (pair[0], -len(pair[1])))[1] if shared else None

    def _first(self, stem: str) -> str | None:
        return next((p for p in (f"{stem}.py", f"{stem}/__init__.py") if p in self._paths), None)

    def _javascript(self, path: str, module: str) -> str | None:
        if module.startswith("."):
            stem = posixpath.normpath(posixpath.join(posixpath.dirname(path), module))
        elif module[:2] in ("@/", "~/"):
            return self._aliased(path, module[2:])
        else:
            return None
        bare = re.sub(r"\.(?:js|mjs|cjs)$", "", stem)
        return next((p for s in (stem, bare) for e in _ENDINGS if (p := s + e) in self._paths), None)

    def _aliased(self, path: str, rest: str) -> str | None:
        folder = posixpath.dirname(path)
        while True:
            for base in (folder, posixpath.join(folder, "src")):
                found = next((p for e in _ENDINGS if (p := posixpath.join(base, rest) + e) in self._paths), None)
                if found is not None:
                    return found
            if not folder:
                return None
            folder = posixpath.dirname(folder)


def _exported_as(source: MaskedText, name: str) -> str:
    """What is exported under another name; "" where nothing is."""
    found = re.search(rf"\bexports\s*=\s*\{{[^}}]{{0,4000}}?\b{re.escape(name)}\s*:\s*([\w$]+)", source.code)
    return found[1] if found is not None else ""


def _default(source: MaskedText) -> str:
    """The name of what a file exports without one."""
    found = _DEFAULT.search(source.code)
    return next(filter(None, found.groups())) if found is not None else DEFAULT


def _handed_on(source: MaskedText) -> str:
    """The module whose exports a file hands on as its own; "" where it has its own."""

    def found() -> str:
        match = _HANDED_ON.search(source.text)
        return match[1] if match is not None else ""

    return source.notes.once("handed on", found)


def _binds(source: MaskedText, name: str) -> bool:
    return source.notes.once(
        ("binds", name), lambda: name in source.code and _binding(name).search(source.code) is not None
    )


@lru_cache(maxsize=2000)
def _binding(name: str) -> re.Pattern[str]:
    known = re.escape(name)
    return re.compile(
        rf"(?<![\w$.]){known}\s*(?::[^=\n]{{1,60}})?\s*=(?![=>])|\b(?:def|class|function)\s+{known}\b|\bexports\.{known}\s*="
    )
