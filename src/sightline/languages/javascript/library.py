"""What is known of the standard library of JavaScript, of browsers and of Node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sightline.languages.facts import FUNCTION_TYPE
from sightline.languages.values import External, Parts

if TYPE_CHECKING:
    from sightline.languages.values import Values

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

AWAITABLES = frozenset({"Promise", "Awaitable", "Future", "Task"})
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
            return (External("Array", arguments),)
    if container in ("Map", "ReadonlyMap", "WeakMap") and len(arguments) > 1:
        if method == "get":
            return tuple(arguments[1])
        if method == "values":
            return (External("Array", (arguments[1],)),)
        if method == "entries":
            return (External("Array", ((Parts((arguments[0], arguments[1])),),)),)
    return None
