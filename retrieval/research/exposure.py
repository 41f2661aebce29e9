"""Why a symbol that nothing in the root refers to may be used all the same: by what runs, finds or imports it."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import numpy as np

from sightline.languages.library import words
from sightline.types import TYPE_KINDS

if TYPE_CHECKING:
    from sightline.retrieval.research.evidence import Graph
    from sightline.retrieval.research.source import Source
    from sightline.types import Object

# Names that whatever runs the code calls: entry points, life cycles of components, hooks of tests and of frameworks.
_CALLED_BY_NAME = words(
    """
    main Main init _init setup teardown run handler handle execute application app lambda_handler wsgi asgi
    setUp tearDown setUpClass tearDownClass setUpModule tearDownModule setup_module teardown_module setup_method
    teardown_method setup_class teardown_class beforeEach afterEach TestMain up down change upgrade downgrade
    data computed created mounted updated unmounted destroyed beforeCreate beforeMount beforeUpdate beforeDestroy
    beforeRouteEnter beforeRouteLeave asyncData head render componentDidMount componentDidUpdate componentWillUnmount
    shouldComponentUpdate getDerivedStateFromProps getSnapshotBeforeUpdate componentDidCatch ngOnInit ngOnDestroy
    ngOnChanges ngAfterViewInit getStaticProps getStaticPaths getServerSideProps generateMetadata loader action
    load GET POST PUT PATCH DELETE default config onCreate onStart onResume onPause onStop onDestroy viewDidLoad
    viewWillAppear awakeFromNib configure initialize teardown doGet doPost toString equals hashCode compareTo clone
    finalize readObject writeObject readResolve values valueOf apply unapply AUTOLOAD BUILD DESTROY
    HELP_MESSAGE VERSION_MESSAGE display_hint to_string children import unimport
    drop fmt deref index next default from into try_from as_ref eq cmp hash poll DllMain WinMain _start
    """
)
_DUNDER = re.compile(r"__\w+__")
# Decorators and attributes that make nobody call what they stand above.
_INERT = re.compile(
    r"^(?:@(?:staticmethod|classmethod|property|cached_property|functools\.\w+|lru_cache|cache|abstractmethod|abc\.\w+"
    r"|overload|typing\.\w+|final|dataclass|dataclasses\.\w+|attr\.\w+|contextmanager|contextlib\.\w+|deprecated|override"
    r"|SuppressWarnings|Deprecated|Nullable|NonNull|Nonnull|SafeVarargs|VisibleForTesting|JvmStatic|JvmField)\b"
    r"|#\[(?:inline|derive|allow|must_use|cfg|doc|cold|track_caller|expect|non_exhaustive|repr|deprecated)\b)"
)
_PLAIN_BASE = re.compile(
    r"(?:Error|Exception|Warning|object|Object|NamedTuple|TypedDict|Enum|IntEnum|StrEnum|Generic|ABC|Protocol|dict|list|str"
    r"|int|tuple|set|Record|Serializable|Cloneable)(?:\[.*)?$"
)
_MARKED = re.compile(r"^\s*(?:@\w|#\[|\[\w+[\](])")
_SETTINGS = re.compile(r"(?:^|/|[._-])(?:conf|config|settings|gunicorn)[\w-]*\.\w+$|/settings/|\.config\.\w+$")
_HANDLER = re.compile(r"on[a-z]+")  # `self.onmessage = …`
_C = frozenset({"c", "cpp", "objc"})
_C_MARKED = re.compile(r"__attribute__|[A-Z][A-Z0-9_]{3,}\s*\([^;]*\)$")  # `ATTR(constructor)`, `MODULE_INIT(x)`
_C_KEPT = re.compile(r"\b[A-Z][A-Z0-9_]{3,}\b")  # `static const char KEEP_USED name[]`: a macro says what for
_EXPORTED = re.compile(r"^(?:export\b|declare\b)")
_SCRIPTS = frozenset({"javascript", "jsx", "typescript", "tsx", "vue", "svelte", "astro"})
_LIBRARY_FILES = {
    "python": ("setup.py", "setup.cfg", "pyproject.toml"),
    "cython": ("setup.py", "setup.cfg", "pyproject.toml"),
    "ruby": (),
    "php": ("composer.json",),
    "java": ("pom.xml", "build.gradle", "build.gradle.kts"),
    "kotlin": ("pom.xml", "build.gradle", "build.gradle.kts"),
    "scala": ("build.sbt", "pom.xml", "build.sc"),
    "swift": ("Package.swift",),
    "perl": ("Makefile.PL", "Build.PL", "cpanfile", "dist.ini"),
    "dart": ("pubspec.yaml",),
    "elixir": ("mix.exs",),
    "zig": ("build.zig",),
    "solidity": ("package.json", "foundry.toml"),
}
_MAX_MANIFEST_LINES = 400
_ANY_LIBRARY = frozenset({"csharp", "haskell", "lua", "objc", "c", "cpp", "ocaml", "fsharp", "ocaml_interface"})


class Exposure:
    """What of one snapshot may be used from outside of it."""

    def __init__(self, graph: Graph, source: Source) -> None:
        self._graph, self._source = graph, source
        self._files = graph.snapshot.files
        self._libraries: dict[tuple[str, str], bool] = {}
        self._mains: set[str] | None = None

    def why(self, position: int) -> str:
        """Why a symbol may be used although nothing refers to it; "" when there is no reason to think so."""
        graph = self._graph
        (symbol,) = graph.objects.get([position])
        handler = symbol.language in _SCRIPTS and _HANDLER.fullmatch(symbol.name)
        if symbol.name in _CALLED_BY_NAME or _DUNDER.fullmatch(symbol.name) or handler:
            return "it is called by its name: an entry point, a hook, a special method"
        if symbol.name.startswith("~"):
            return "it is a destructor"
        if symbol.kind == "constant" and _SETTINGS.search(symbol.path):
            return "it is a setting that a program may look for"
        if self._is_marked(symbol):
            return "a decorator, attribute or annotation may register it"
        if symbol.kind in TYPE_KINDS and any(graph.kinds[p] == "constant" for p in graph.parents(position)):
            return "it is the type of a variable"
        if graph.overridden(position) or graph.overriders(position):
            return "it overrides or is overridden"
        inherent = symbol.language == "rust" and symbol.signature.startswith("pub")  # members of traits have no `pub`
        if not inherent and self._has_foreign_base(position):
            return "its class extends or implements what is not in this root"
        if symbol.language in _SCRIPTS and symbol.kind == "method" and not self._is_in_type(position):
            return "it is a member of an object that may be handed on"
        if symbol.language == "go" and symbol.kind == "constant" and _counts_on(symbol.signature):
            return "it is one of a row of numbered constants"
        if symbol.language == "go" and symbol.kind == "method" and symbol.name[:1].isupper():
            return "it may satisfy an interface that is not in this root"
        if any(graph.kinds[p] in ("interface", "type_alias") for p in graph.parents(position)):
            return "it is a member of an interface"
        if symbol.path.endswith(".d.ts") or self._is_declared_only(symbol, position):
            return "it declares what lies elsewhere"
        if symbol.language in _SCRIPTS and symbol.signature.startswith("export default"):
            return "it is what its file gives by default, which a framework may look for"
        if symbol.language == "rust" and "." in symbol.qualified_name and not symbol.signature.startswith("pub"):
            return "it may belong to the implementation of a trait"  # the compiler tells of other private members
        if symbol.language == "bash" and symbol.kind == "constant":
            return "it is a variable that other programs may read"
        if self._is_public(symbol, position):
            return "it is public and others may use it: a library, or an exported name"
        return ""

    def _is_marked(self, symbol: Object) -> bool:
        """Whether a decorator that does something stands in the first lines of a symbol, or right above it."""
        self._source.prepare([symbol.path])
        first = max(symbol.start_line - 2, 1)
        for _, line in self._source.lines(symbol.path, first, min(symbol.end_line, symbol.start_line + 8)):
            text = line.strip()
            if _MARKED.match(text) and not _INERT.match(text):
                return True
            if symbol.language in _C and _C_MARKED.match(text):
                return True
            if symbol.language in _C and symbol.kind == "constant" and _C_KEPT.search(text.partition(symbol.name)[0]):
                return True
            if symbol.name in text:
                break
        return False

    def _is_declared_only(self, symbol: Object, position: int) -> bool:
        """`declare module "react" { interface … }` adds to another package."""
        if symbol.language not in _SCRIPTS:
            return False
        around = self._graph.objects.get(self._ancestors(position))
        return any(item.kind == "module" and item.signature.startswith("declare") for item in around)

    def _is_in_type(self, position: int) -> bool:
        return any(self._graph.kinds[p] in TYPE_KINDS for p in self._graph.parents(position))

    def _has_foreign_base(self, position: int) -> bool:
        """Whether a class, or the one around a member, has a base outside of the root, or a base has one. That alone
        makes nobody find a class where the base is a plain one: an exception, a tuple."""
        graph = self._graph
        types = graph.edges.column("relationship_type")
        seen: set[int] = set()
        around = [position, *graph.parents(position)]
        waiting = [p for p in around if graph.kinds[p] in TYPE_KINDS]
        while waiting:
            holder = waiting.pop()
            if holder in seen:
                continue
            seen.add(holder)
            links = graph.adjacency.links(np.array([holder], np.int64), "out")
            for row, far in zip(links.rows.tolist(), links.far.tolist(), strict=True):
                if types[row] in ("inherits", "implements"):
                    if far >= 0:
                        waiting.append(far)
                    elif holder != position or not _PLAIN_BASE.search(graph.edges.get([row])[0].target_name):
                        return True
        return False

    # Public names

    def _is_public(self, symbol: Object, position: int) -> bool:
        if not self._seen_outside(symbol, position):
            return False
        if symbol.language in ("vue", "svelte", "astro"):
            return False
        return self._in_library(symbol)

    def _seen_outside(self, symbol: Object, position: int) -> bool:
        """Whether the language lets other roots see the symbol and everything around it."""
        around = [symbol, *self._graph.objects.get(self._ancestors(position))]
        around = [item for item in around if item.kind != "module"]
        return all(self._shown(item) for item in around)

    def _ancestors(self, position: int) -> list[int]:
        found: list[int] = []
        waiting = self._graph.parents(position)
        while waiting and len(found) < 20:
            found.append(waiting[0])
            waiting = self._graph.parents(waiting[0])
        return found

    def _shown(self, symbol: Object) -> bool:
        language, signature = symbol.language, symbol.signature
        if language in _SCRIPTS:
            return symbol.kind in ("method", "constructor") or _EXPORTED.match(signature) is not None
        if language == "go":
            return symbol.name[:1].isupper()
        if language == "rust":
            return signature.startswith("pub ") or symbol.kind in ("method", "macro")
        if language in ("python", "cython"):
            parts = [*PurePosixPath(symbol.path).with_suffix("").parts, *symbol.qualified_name.split(".")]
            return not any(part.startswith("_") and not _DUNDER.fullmatch(part) for part in parts)
        return symbol.visibility in ("public", "protected")

    def _in_library(self, symbol: Object) -> bool:
        key = (symbol.path.rpartition("/")[0], symbol.language)
        known = self._libraries.get(key)
        if known is None:
            known = self._libraries[key] = self._is_library(symbol)
        return known

    def _is_library(self, symbol: Object) -> bool:
        """Whether others can import the package that a file belongs to."""
        language, path = symbol.language, symbol.path
        if language in _SCRIPTS:
            return self._is_published_script(path)
        if language == "go":
            return self._is_go_library(path)
        if language == "rust":
            return any(f"{folder}src/lib.rs" in self._files for folder in _folders(path))
        if language == "ruby":
            return any(name.endswith(".gemspec") for name in self._files)
        if language in _ANY_LIBRARY:
            return True
        manifests = _LIBRARY_FILES.get(language, ())
        packaged = any(folder + name in self._files for folder in _folders(path) for name in manifests)
        return packaged and not any(folder + "manage.py" in self._files for folder in _folders(path))

    def _is_published_script(self, path: str) -> bool:
        """By the nearest package.json: one that is private and says nothing to import is an application."""
        for folder in _folders(path):
            manifest = f"{folder}package.json"
            if manifest in self._files:
                self._source.prepare([manifest])
                text = "\n".join(line for _, line in self._source.lines(manifest, 1, _MAX_MANIFEST_LINES))
                private = re.search(r'"private"\s*:\s*true', text) is not None
                offers = re.search(r'"(?:main|module|exports|types|workspaces)"\s*:', text) is not None
                return not private or offers or f"{folder}pnpm-workspace.yaml" in self._files
        return False

    def _is_go_library(self, path: str) -> bool:
        folder = path.rpartition("/")[0]
        if path.rpartition("/")[2].startswith("magefile"):
            return True  # mage runs its exported functions by name
        if "internal" in folder.split("/"):
            return False
        if self._mains is None:
            graph = self._graph
            names = graph.objects.column("name")
            languages = graph.objects.column("language")
            self._mains = {
                graph.path(p).rpartition("/")[0]
                for p in range(len(names))
                if names[p] == "main" and languages[p] == "go" and graph.kinds[p] == "function"
            }
        return folder not in self._mains


def _counts_on(signature: str) -> bool:
    """`A = iota`, and the names below it, of which each gives the next one its number."""
    return "=" not in signature or "iota" in signature


def _folders(path: str) -> list[str]:
    """The folders around a file, nearest first, each with a slash at its end; the root is ""."""
    parts = path.split("/")[:-1]
    return ["".join(f"{part}/" for part in parts[:length]) for length in range(len(parts), -1, -1)]
