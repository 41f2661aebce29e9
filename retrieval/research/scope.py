"""Which files an answer lists: what the caller filters by, and what the question says of it ("in src/", "not tests").

What the caller says holds for everything. What the question says holds for the code it asks about: "which methods in
src/ call it, and which tests cover it" wants its tests from wherever they are. A folder that is not there is said to be
missing, and the question is answered for what there is of it: for `src` where `src/cargo` was named.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from sightline.retrieval.filters import PathFilter
from sightline.types import Filters

_ALL = PathFilter((), ())
_FOLDER = r"[`'\"]?(?P<folder>[\w.@+*-]+(?:/[\w.@+*-]+)*/?)[`'\"]?"  # or a pattern: packages/*/src
_NOT_IN = re.compile(
    rf",?\s+(?:but )?(?:not in|outside(?: of)?|excluding|except(?: for)?(?: in)?)\s+(?:the )?{_FOLDER}"
)
_IN = re.compile(
    rf",?\s+(?:only )?(?:in|under|inside|within|below)\s+(?:the )?{_FOLDER}(?P<word> folder| directory)?(?![\w/*])"
)
_NO_WORD = re.compile(
    r"[\w][-_.]\w|^(?:src|lib|libs|pkg|cmd|crates|packages)$"
)  # a folder or file, as nobody writes a word
_ROOTS = re.compile(r"^(?:src|libs?|pkg|cmd|crates|packages)/")  # how no word with a slash ("read/write") begins
_NO_TESTS = re.compile(
    r",?\s+\(?(?:but )?(?:not|no|without|excluding|ignoring|ignore|except|leaving out|outside(?: of)?|not (?:in|from)|"
    r"not counting)(?: the| any| in)? tests?\b(?: code| files?)?\)?|"
    r",?\s+in (?:production|non-test)(?: code)?(?: only)?\b|"
    r",?\s+tests? left out\b",
    re.IGNORECASE,
)
# Several things left out at once: "(no tests, no samples)", "without tests or examples".
_BESIDE = r"(?:tests?|samples?|examples?|benchmarks?|demos?)"
_LEFT_OUT = r"(?:no|not|without|excluding|ignoring)(?: the| any)?"
_WITHOUT_SEVERAL = re.compile(
    rf",?\s+\(?(?:but )?{_LEFT_OUT} (?P<things>{_BESIDE}(?:(?:,| and| or|, and|, or)(?: {_LEFT_OUT})? {_BESIDE})+)\)?",
    re.IGNORECASE,
)
_SOURCE_SETS = re.compile(
    r"(?:,?\s+(?:in|of|from)\s+(?:the\s+)?|\s*(?<=\())(?P<sets>\w+(?:(?:\s*,\s*|\s+and\s+|\s+or\s+|\s+)\w+){0,5}?)\s+"
    r"source[ -]?sets?\b",
    re.IGNORECASE,
)
# Folders of one platform in a project that is built for several, by the word that names the platform.
_PLATFORMS = {
    "js": ("js*", "web"),
    "wasm": ("wasm*", "web"),
    "native": ("native*", "apple*", "linux*", "macos*", "mingw*", "windows*"),
    "ios": ("ios*", "apple*"),
    "jvm": ("jvm*",),
    "common": ("common*",),
    "android": ("android*",),
}


@dataclass(frozen=True, slots=True)
class Scope:
    """The files that an answer may list."""

    given: PathFilter = field(default=_ALL)
    said: PathFilter = field(default=_ALL)
    tests: bool = True
    filters: Filters = field(default_factory=Filters)  # both as globs, for search
    words: str = ""  # what the question said, to be repeated in the answer
    missing: tuple[str, ...] = ()  # what to say of folders that the question names and the root does not have

    def code(self, path: str) -> bool:
        """May code of this file be listed?"""
        return self.given.allows(path) and self.said.allows(path)

    def test(self, path: str) -> bool:
        """May tests of this file be listed?"""
        return self.tests and self.given.allows(path)


def scope_of(question: str, filters: Filters, files: Collection[str], *, of_symbols: bool = True) -> tuple[str, Scope]:
    """What a question says about files, and the question without it. Only where it is one `of_symbols` anything else
    that looks like a path is taken for a folder that is missing: in prose it may be what is asked about."""
    include: list[str] = []
    exclude: list[str] = []
    said: list[str] = []
    missing: list[str] = []
    rest, tests = question, True

    def folder(match: re.Match[str], globs: list[str]) -> str:
        name = match["folder"].rstrip("/").removeprefix("./")
        word = match.groupdict().get("word")
        marked = word or "/" in match["folder"] or _NO_WORD.search(name)
        found = _globs(name, files, anywhere=bool(word or "/" in match["folder"])) if marked else []
        if not found:
            if not _is_missing(match["folder"], files, of_symbols=of_symbols):
                return match[0]
            there = _existing(name, files) if globs is include else ""
            globs += [f"{there}/**"] if there else []
            asked_of = "" if globs is exclude else f": asked of {f'{there}/' if there else 'the whole root'}"
            missing.append(f"Nothing below {name}{asked_of}.")
            return ""
        globs += found
        said.append(match[0].strip(" ,"))
        return ""

    for match in _SOURCE_SETS.finditer(rest):
        words = [word.lower() for word in re.findall(r"\w+", match["sets"])]
        chosen = [word for word in words if word in _PLATFORMS]
        if chosen or "main" in words:
            exclude += _other_platforms(chosen) if chosen else []
            tests = tests and "main" not in words
            said.append(match[0].strip(" ,"))
            rest = rest.replace(match[0], "")
    for match in _WITHOUT_SEVERAL.finditer(rest):
        things = {word.lower().rstrip("s") for word in re.findall(_BESIDE, match["things"], re.IGNORECASE)}
        tests = tests and "test" not in things
        exclude += [f"**/{folder}/**" for thing in sorted(things - {"test"}) for folder in (thing, f"{thing}s")]
        said.append(match[0].strip(" ,()"))
        rest = rest.replace(match[0], "")
    rest, without = _NO_TESTS.subn("", rest)
    if without:
        tests = False
        said.append("no tests")
    rest = _NOT_IN.sub(lambda match: folder(match, exclude), rest)
    rest = _IN.sub(lambda match: folder(match, include), rest)
    both = Filters(
        file_filter=tuple(include) or filters.file_filter,
        exclude_filter=(*filters.exclude_filter, *exclude),
        metadata=filters.metadata,
    )
    given = PathFilter(filters.file_filter, filters.exclude_filter)
    absent = tuple(dict.fromkeys(missing))
    return rest, Scope(given, PathFilter(include, exclude), tests, both, "; ".join(said), absent)


def only(filters: Filters) -> Scope:
    """What the caller says alone."""
    return Scope(PathFilter(filters.file_filter, filters.exclude_filter), filters=filters)


def _globs(name: str, files: Collection[str], *, anywhere: bool) -> list[str]:
    """The globs of a folder or file: from the root if it is one there, else wherever it is; none when there is no such
    one. What is said without a slash may be a word: such a folder counts at the root only, if not `anywhere`."""
    if name in files:
        return [name]
    if "*" in name:
        globs = [f"{name.removesuffix('/**')}/**"]
        pattern = PathFilter(globs, ())
        return globs if any(map(pattern.allows, files)) else []
    inside = file = False
    for path in files:
        if path.startswith(f"{name}/"):
            return [f"{name}/**"]
        inside = inside or (anywhere and f"/{name}/" in path)
        file = file or path.endswith(f"/{name}")
    return [f"**/{name}/**"] if inside else [f"**/{name}"] if file and "." in name else []


def _is_missing(folder: str, files: Collection[str], *, of_symbols: bool) -> bool:
    """Is what no file lies below a folder all the same, and no word with a slash in it?"""
    if "/" not in folder or folder.startswith("."):
        return False
    if folder.endswith("/") or "*" in folder or _ROOTS.match(folder):
        return True
    return of_symbols and bool(_NO_WORD.search(folder) or _existing(folder, files))


def _existing(name: str, files: Collection[str]) -> str:
    """The longest beginning of a path that is a folder of the root; "" where none is."""
    there = name
    while there and not ("*" not in there and any(path.startswith(f"{there}/") for path in files)):
        there = there.rpartition("/")[0]
    return there


def _other_platforms(chosen: Collection[str]) -> list[str]:
    """Globs of the platforms that were not named; what lies in no platform's folder stays."""
    wanted = {glob for word in chosen for glob in _PLATFORMS[word]}
    others = {glob for word, globs in _PLATFORMS.items() if word not in ("android", *chosen) for glob in globs}
    return [f"**/{glob}/**" for glob in sorted(others - wanted)]
