"""Module paths of JavaScript and TypeScript, and what is known of their standard library."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from sightline.graph.build.facts import FUNCTION_TYPE

if TYPE_CHECKING:
    from sightline.graph.build.evaluate import Evaluator
    from sightline.graph.build.facts import FileFacts
    from sightline.graph.build.values import Values

_EXTENSIONS = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".json")
_COMPILED = {".js": (".ts", ".tsx", ".d.ts", ".jsx"), ".mjs": (".mts",), ".cjs": (".cts",), ".jsx": (".tsx",)}
_MAX_EXTENDS = 5  # tsconfig files that build on each other


def module(evaluator: Evaluator, facts: FileFacts, spec: str) -> str | None:
    """The file that an import path names, as seen from a file; None when it lies outside the root."""
    folder = str(PurePosixPath(facts.path).parent)
    if spec.startswith("."):
        return _file_at(evaluator, _join(folder, spec))
    return _by_alias(evaluator, folder, spec) or _by_package(evaluator, spec)


def _join(folder: str, path: str) -> str:
    """A path relative to a folder of the root, without dots."""
    parts = [] if path.startswith("/") or folder in ("", ".") else folder.split("/")
    for part in path.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in ("", ".", ".."):
            parts.append(part)
    return "/".join(parts)


def _file_at(evaluator: Evaluator, stem: str) -> str | None:
    has = evaluator.table.has_file
    suffix = PurePosixPath(stem).suffix
    if suffix in _EXTENSIONS:
        for source in _COMPILED.get(suffix, ()):
            if has(stem[: -len(suffix)] + source):
                return stem[: -len(suffix)] + source
        if has(stem):
            return stem
    for extension in _EXTENSIONS:
        if has(stem + extension):
            return stem + extension
    index = f"{stem}/index" if stem else "index"
    for extension in _EXTENSIONS[:9]:
        if has(index + extension):
            return index + extension
    return None


def _by_alias(evaluator: Evaluator, folder: str, spec: str) -> str | None:
    """The paths and the base folder of the nearest tsconfig.json."""
    here = PurePosixPath(folder)
    for parent in [here, *here.parents]:
        for name in ("tsconfig.json", "jsconfig.json"):
            config = _join(str(parent), name)
            if evaluator.table.has_file(config):
                found = _by_config(evaluator, config, spec, 0)
                if found is not None:
                    return found
    return None


def _by_config(evaluator: Evaluator, config: str, spec: str, depth: int) -> str | None:
    notes = evaluator.table.notes(config)
    base = _join(str(PurePosixPath(config).parent), notes.get("base", "."))
    for pattern, targets in notes.get("paths", {}).items():
        head, star, tail = pattern.partition("*")
        if spec != pattern and not (star and spec.startswith(head) and spec.endswith(tail)):
            continue
        middle = spec[len(head) : len(spec) - len(tail)] if star else ""
        for target in targets:
            found = _file_at(evaluator, _join(base, target.replace("*", middle, 1)))
            if found is not None:
                return found
    if "base" in notes:
        found = _file_at(evaluator, _join(base, spec))
        if found is not None:
            return found
    extends = notes.get("extends", "")
    if extends.startswith(".") and depth < _MAX_EXTENDS:
        other = _join(str(PurePosixPath(config).parent), extends)
        return _by_config(evaluator, other if other.endswith(".json") else f"{other}.json", spec, depth + 1)
    return None


def _by_package(evaluator: Evaluator, spec: str) -> str | None:
    """A package of the same root, by the name in its package.json."""
    parts = spec.split("/")
    size = 2 if spec.startswith("@") else 1
    name, rest = "/".join(parts[:size]), "/".join(parts[size:])
    for manifest in evaluator.table.manifests(f"npm:{name}"):
        folder = str(PurePosixPath(manifest).parent)
        exports = evaluator.table.notes(manifest).get("exports", {})
        targets = list(exports.get(rest, ()))
        for pattern, values in exports.items():
            head, star, tail = pattern.partition("*")
            if star and rest.startswith(head) and rest.endswith(tail):
                middle = rest[len(head) : len(rest) - len(tail)]
                targets.extend(value.replace("*", middle, 1) for value in values)
        for target in (*targets, rest, f"src/{rest}"):
            found = _file_at(evaluator, _join(folder, target))
            if found is not None:
                return found
    return None


_BUILTINS_TEXT = (
    "Array ArrayBuffer BigInt Boolean Buffer DataView Date Error EvalError Float32Array Float64Array Function "
    "Int16Array Int32Array Int8Array Intl JSON Map Math Number Object Promise Proxy RangeError ReferenceError "
    "Record ReadonlyArray ReadonlyMap ReadonlySet Iterable IterableIterator AsyncIterable Generator PromiseLike "
    "Reflect RegExp Set String Symbol SyntaxError TypeError URIError URL URLSearchParams Uint16Array "
    "Uint32Array Uint8Array WeakMap WeakRef WeakSet AbortController Blob Event EventTarget File FormData "
    "Headers Request Response TextDecoder TextEncoder alert atob btoa clearInterval clearTimeout console "
    "decodeURI decodeURIComponent describe document encodeURI encodeURIComponent eval expect fetch globalThis "
    "isFinite isNaN it navigator parseFloat parseInt performance process queueMicrotask require setInterval "
    "setTimeout structuredClone test window beforeEach afterEach beforeAll afterAll arguments"
)
BUILTINS = frozenset(_BUILTINS_TEXT.split())

# Members of built-in types: a receiver of unknown type most likely is one of those.
_COMMON_MEMBERS_TEXT = (
    "add all any apply at bind call catch charAt charCodeAt clear close concat copyWithin debug delete emit "
    "end endsWith entries error every exec fill filter finally find findIndex findLast flat flatMap forEach "
    "format from get getTime has hasOwnProperty includes indexOf info isArray join json keys lastIndexOf "
    "length listen localeCompare log map match next now off on once open padEnd padStart parse pop push race "
    "read reduce reduceRight reject remove removeListener render repeat replace replaceAll resolve return "
    "reverse send set shift slice some sort splice split start startsWith stop stringify subscribe substr "
    "substring test text then throw toFixed toISOString toJSON toLowerCase toString toUpperCase trim trimEnd "
    "trimStart type unshift use value valueOf values warn write"
)
# Of what browsers and Node bring along.
_PLATFORM_MEMBERS_TEXT = (
    "abort addEventListener addListener after animate append appendChild appendData arrayBuffer assign attachShadow "
    "before blob blur cancel checkValidity click cloneNode closest compareDocumentPosition composedPath connect "
    "contains createComment createElement createElementNS createReadStream createServer createTextNode "
    "createWriteStream decode destroy disconnect dispatchEvent drawImage elementFromPoint encode execCommand "
    "existsSync fillRect fillText focus formData getAllResponseHeaders getAttribute getAttributeNS getAttributeNode "
    "getBoundingClientRect getClientRects getComputedStyle getContext getElementById getElementsByClassName "
    "getElementsByTagName getHeader getItem getPropertyValue getReader getResponseHeader getRootNode getSelection "
    "getWriter go hasAttribute hasChildNodes importNode insertAdjacentElement insertAdjacentHTML insertBefore "
    "isConnected isEqualNode item key kill lineTo matches mkdir mkdirSync moveTo normalize observe pause pipe pipeTo "
    "play postMessage prepend preventDefault pushState querySelector querySelectorAll readFile readFileSync readdir "
    "readdirSync reload removeAllListeners removeAttribute removeChild removeEventListener removeItem removeProperty "
    "replaceChild replaceChildren replaceState replaceWith requestAnimationFrame reset resume revokeObjectURL "
    "rmSync scroll scrollBy scrollIntoView scrollTo select setAttribute setAttributeNS setCustomValidity setHeader "
    "setItem setProperty setRequestHeader stat statSync stopImmediatePropagation stopPropagation submit "
    "takeRecords toDataURL toggle toggleAttribute unlink unobserve unref writeFile writeFileSync writeHead"
)
COMMON_MEMBERS = frozenset(f"{_COMMON_MEMBERS_TEXT} {_PLATFORM_MEMBERS_TEXT}".split())


def external_result(name: str, arguments: tuple[Any, ...]) -> Values | None:
    """What function types and the methods of arrays, maps and promises give."""
    if not arguments:
        return None
    container, _, method = name.rpartition(".")
    if name == FUNCTION_TYPE:
        return tuple(arguments[0])
    if container in ("Array", "ReadonlyArray", "Set", "ReadonlySet"):
        if method in ("pop", "shift", "find", "at", "findLast"):
            return tuple(arguments[0])
        if method in ("filter", "slice", "concat", "reverse", "sort", "values", "splice", "toSorted"):
            return (("x", "Array", arguments),)
    if container in ("Map", "ReadonlyMap", "WeakMap") and len(arguments) > 1:
        if method == "get":
            return tuple(arguments[1])
        if method == "values":
            return (("x", "Array", (arguments[1],)),)
        if method == "entries":
            return (("x", "Array", ((("t", arguments[0], arguments[1]),),)),)
    return None
