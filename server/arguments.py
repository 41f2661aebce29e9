"""What a tool may be asked: one table per tool, from which the MCP input schema, the command-line flags and the checks
are all made, so that they cannot drift apart.

A tool's definition is read by the model in every conversation, so it names only what agents use, in a few words
(`brief`), and leaves bounds to `check`. The other arguments are accepted all the same; `sightline://reference`, the
documentation and the error for an unknown argument name them.

`check` is strict: an unknown argument is refused by name together with the nearest known one, a value out of bounds is
refused with the bounds. It is lenient where agents slip without meaning anything else: camelCase names, `null` for
"not given", a number sent as a string, one glob instead of a list of globs.
"""

from __future__ import annotations

import difflib
import json
import re
import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from sightline.errors import QueryError
from sightline.types import MAX_DEPTH, MAX_LIMIT, MODES, OBJECT_KINDS, RELATIONSHIP_TYPES

MAX_QUERY_CHARS = 65_536  # a whole issue with its traces; `retrieval/report` takes it apart
MAX_CONTEXT_CHARS = 4_000  # of what an expansion is sorted by
MAX_NAME_CHARS = 500
MAX_GLOBS = 50
MAX_GLOB_CHARS = 300  # a pathological glob costs time in every file name it is tried on
MAX_GLOBS_CHARS = 4_000  # of one list together
MAX_NODES = 500
MAX_EDGES = 1_000
MIN_TOKENS = 200
MAX_TOKENS = 6_800  # about 24,000 characters, the hard cap of one answer
DEFAULT_TOKENS = 1_500  # an agent that wants more asks for it; what it does not want it has paid for
RESEARCH_TOKENS = 2_000
_MAX_VALUE_CHARS_SHOWN = 80
_MAX_PROBLEMS_SHOWN = 5

Kind = Literal["text", "integer", "number", "boolean", "texts", "pairs", "numbers"]

FILTER_KEYS = (  # what retrieval can filter by; a test holds the two together
    "kind",
    "language",
    "name",
    "path",
    "qualified_name",
    "relationship_type",
    "resolution",
    "symbol",
    "type",
    "visibility",
)
WEIGHT_KEYS = ("vector", "bm25", "graph", "text", "relationship")
STRATEGIES = ("rrf", "weighted", "interleave", "graph_first", "text_first")
HIT_TYPES = ("chunk", "object", "relationship")
DIRECTIONS = ("both", "in", "out")


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a tool: its type, its bounds and the sentence that explains it."""

    name: str
    kind: Kind
    help: str
    default: Any = None
    required: bool = False
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None  # for text: the most characters; for texts: the most items
    brief: str = ""  # what the tool's definition says of it; "" when it is not named there

    def schema(self) -> dict[str, Any]:
        """What the tool's definition says of this argument."""
        return {**_TYPE_SCHEMAS[self.kind], "description": self.brief}


_TYPE_SCHEMAS: Mapping[Kind, Mapping[str, Any]] = {
    "text": {"type": "string"},
    "texts": {"type": "array", "items": {"type": "string"}},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "pairs": {"type": "object"},
    "numbers": {"type": "object"},
}

_ROOT = Argument(
    "root",
    "text",
    "Which root, by name or path, when the server has several; of a catalog by name or pattern (team/*).",
    maximum=4_000,
    brief="Root, if several",
)
_FILE_FILTER = Argument(
    "file_filter",
    "texts",
    "Only files that match one of these globs, e.g. src/auth/** or *.swift.",
    brief="Only globs, e.g. src/**, *.go",
)
_EXCLUDE_FILTER = Argument(
    "exclude_filter",
    "texts",
    "No file that matches one of these globs, e.g. **/tests/**.",
    brief="Not globs: **/tests/**",
)
_BUDGET = Argument(
    "max_tokens",
    "integer",
    "Size of the text answer in tokens.",
    default=DEFAULT_TOKENS,
    minimum=MIN_TOKENS,
    maximum=MAX_TOKENS,
    brief=f"Size of the answer, {MIN_TOKENS}-{MAX_TOKENS}",
)

SEARCH = (
    Argument(
        "query",
        "text",
        "What to find: a question, a phrase from the code, an identifier, or a whole issue or stack trace.",
        required=True,
        maximum=MAX_QUERY_CHARS,
        brief="A question, code, an identifier, a whole issue or trace",
    ),
    Argument(
        "limit", "integer", "How many hits.", default=10, minimum=1, maximum=MAX_LIMIT, brief="Hits wanted, default 10"
    ),
    _FILE_FILTER,
    _EXCLUDE_FILTER,
    Argument("types", "texts", "Kinds of hits wanted; all three unless given.", choices=HIT_TYPES),
    Argument("mode", "text", "Which retrievers run.", default="hybrid", choices=tuple(MODES)),
    Argument("strategy", "text", "How the lanes are fused.", default="rrf", choices=STRATEGIES),
    Argument(
        "depth",
        "integer",
        "Hops to follow references from the hits (multi-hop); 0 is a plain search.",
        default=0,
        minimum=0,
        maximum=MAX_DEPTH,
        brief="Hops to follow references from the hits, default 0",
    ),
    Argument(
        "min_similarity", "number", "Drop semantic candidates below this cosine similarity.", minimum=-1, maximum=1
    ),
    Argument(
        "filters",
        "pairs",
        "Metadata that must match, joined by AND: language=python, kind=function.",
        choices=FILTER_KEYS,
    ),
    Argument(
        "relationship_limit",
        "integer",
        "Relationships retrieved before fusion.",
        default=50,
        minimum=0,
        maximum=MAX_EDGES,
    ),
    Argument("weights", "numbers", "Shares in the fusion.", choices=WEIGHT_KEYS),
    Argument("rrf_k", "integer", "The k of reciprocal rank fusion.", default=60, minimum=1, maximum=10_000),
    Argument("rerank", "boolean", "Code-aware re-ranking after fusion.", default=True),
    Argument(
        "expand",
        "boolean",
        "Also list what the best objects are related to, closest to the query first.",
        default=False,
    ),
    _BUDGET,
    Argument(
        "cursor",
        "text",
        "Go on where an earlier answer stopped: its next_cursor.",
        maximum=200,
        brief="Go on where an answer stopped",
    ),
    _ROOT,
)

SYMBOL_SEARCH = (
    Argument(
        "name",
        "text",
        "The symbol: login, AuthService.login, ns::name or pkg/name; part of a name or a misspelt one will do.",
        required=True,
        maximum=MAX_NAME_CHARS,
        brief="login, AuthService.login, ns::name; a part or a misspelling will do",
    ),
    Argument(
        "kind", "text", "Only this kind of symbol.", choices=OBJECT_KINDS, brief="class, interface, function, method, …"
    ),
    _FILE_FILTER,
    _EXCLUDE_FILTER,
    Argument(
        "limit",
        "integer",
        "How many symbols.",
        default=10,
        minimum=1,
        maximum=MAX_LIMIT,
        brief="Symbols wanted, default 10",
    ),
    Argument("include_members", "boolean", "A class brings the names of its members.", default=True),
    _BUDGET,
    _ROOT,
)

EXPAND_GRAPH = (
    Argument(
        "start",
        "text",
        "Where to start: a symbol name, an entity_id, or path:line.",
        required=True,
        maximum=MAX_NAME_CHARS,
        brief="A symbol name, an entity_id, or path:line",
    ),
    Argument(
        "direction",
        "text",
        "out: what it uses; in: what uses it; both.",
        default="both",
        choices=DIRECTIONS,
        brief="in: what uses it; out: what it uses; both (default)",
    ),
    Argument(
        "relationship_types",
        "texts",
        "Only these relationships.",
        choices=RELATIONSHIP_TYPES,
        brief=f"Some of {', '.join(RELATIONSHIP_TYPES)}",
    ),
    Argument(
        "depth", "integer", "How many hops.", default=1, minimum=1, maximum=MAX_DEPTH, brief="Hops, 1 (default) to 4"
    ),
    Argument("max_nodes", "integer", "Stop after this many symbols.", default=50, minimum=1, maximum=MAX_NODES),
    Argument("max_edges", "integer", "Stop after this many relationships.", default=100, minimum=1, maximum=MAX_EDGES),
    Argument(
        "query_context",
        "text",
        "What you are after; relationships close to it come first, so that the limits cut the least relevant.",
        maximum=MAX_CONTEXT_CHARS,
    ),
    Argument("min_confidence", "number", "Leave out relationships guessed with less than this.", minimum=0, maximum=1),
    _BUDGET,
    _ROOT,
)

CODE_RESEARCH = (
    Argument(
        "question",
        "text",
        "An architectural question in plain words, e.g. what calls PaymentGateway.charge? Or a whole issue.",
        required=True,
        maximum=MAX_QUERY_CHARS,
        brief='In plain words, e.g. "what breaks if I change SessionStore.close?"',
    ),
    Argument(
        "depth",
        "integer",
        "How many hops to follow.",
        default=2,
        minimum=1,
        maximum=MAX_DEPTH,
        brief="Hops to follow, default 2",
    ),
    _FILE_FILTER,
    _EXCLUDE_FILTER,
    replace(_BUDGET, default=RESEARCH_TOKENS),
    _ROOT,
)


def input_schema(arguments: Sequence[Argument]) -> dict[str, Any]:
    """The MCP input schema of a tool: not closed, so that no client refuses an argument that is not named in it."""
    return {
        "type": "object",
        "properties": {argument.name: argument.schema() for argument in arguments if argument.brief},
        "required": [argument.name for argument in arguments if argument.required],
    }


def check(arguments: Sequence[Argument], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return every argument with its checked value or default; QueryError lists all that is wrong at once."""
    known = {argument.name: argument for argument in arguments}
    values: dict[str, Any] = {argument.name: argument.default for argument in arguments}
    problems: list[str] = []
    for number, (raw_name, raw) in enumerate(given.items()):
        if len(problems) >= _MAX_PROBLEMS_SHOWN:
            problems.append(f"{len(given) - number:,} more arguments were not looked at")
            break
        name = raw_name if raw_name in known else snake_case(raw_name[:_MAX_VALUE_CHARS_SHOWN])
        if name not in known:
            problems.append(_unknown(raw_name, known))
        elif raw is not None:
            try:
                values[name] = _value(known[name], raw)
            except QueryError as error:
                problems.append(error.message)
    missing = [a.name for a in arguments if a.required and values[a.name] is None and not problems]
    problems += [f"argument `{name}` is missing" for name in missing]
    if problems:
        raise QueryError("; ".join(problems))
    return values


def snake_case(name: str) -> str:
    """`queryContext` → `query_context`."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


def nearest(name: str, known: Sequence[str]) -> str:
    """The known name that is closest to a misspelt one, or ""."""
    found = difflib.get_close_matches(snake_case(name), list(known), n=1, cutoff=0.5)
    return found[0] if found else ""


def _unknown(name: str, known: Mapping[str, Argument]) -> str:
    shown = name[:_MAX_VALUE_CHARS_SHOWN]
    close = nearest(shown, tuple(known))
    meant = f" did you mean `{close}`?" if close else ""
    return f"unknown argument `{shown}`;{meant} known ones: {', '.join(known)}"


def _value(argument: Argument, raw: Any) -> Any:
    match argument.kind:
        case "text":
            return _text(argument, raw)
        case "texts":
            return _texts(argument, raw)
        case "boolean":
            return _boolean(argument, raw)
        case "integer" | "number":
            return _number(argument, raw)
        case "pairs":
            return {key: _plain(argument, key, value) for key, value in _object(argument, raw).items()}
        case "numbers":
            return {key: _weight(argument, key, value) for key, value in _object(argument, raw).items()}


_MAX_BITS_SHOWN = 1_000  # of a whole number
_SHORT = reprlib.Repr()  # of lists inside lists only the outermost are shown: plain `repr` does not end for some
_SHORT.maxstring = _SHORT.maxother = 4 * _MAX_VALUE_CHARS_SHOWN


def _refuse(argument: Argument, raw: Any, wanted: str) -> QueryError:
    if isinstance(raw, int) and raw.bit_length() > _MAX_BITS_SHOWN:
        shown = f"a number of {raw.bit_length():,} bits"  # Python refuses to write down a longer one
    else:
        shown = repr(raw) if isinstance(raw, bool | int | float | None) else _SHORT.repr(raw)
    if len(shown) > _MAX_VALUE_CHARS_SHOWN:
        shown = shown[:_MAX_VALUE_CHARS_SHOWN] + "…"
    return QueryError(f"argument `{argument.name}` must be {wanted}, not {shown}")


def _text(argument: Argument, raw: Any) -> str:
    if not isinstance(raw, str):
        raise _refuse(argument, raw, "a string")
    if argument.choices and raw not in argument.choices:
        raise _not_a_choice(argument, raw)
    if argument.maximum is not None and len(raw) > argument.maximum:
        raise QueryError(
            f"argument `{argument.name}` may have at most {int(argument.maximum):,} characters, not {len(raw):,}"
        )
    return raw


def _not_a_choice(argument: Argument, raw: str) -> QueryError:
    close = nearest(raw[:_MAX_VALUE_CHARS_SHOWN], argument.choices)
    hint = f"; did you mean {close!r}?" if close else ""
    return _refuse(argument, raw, f"one of {', '.join(argument.choices)}{hint}" if not hint else "a known value" + hint)


def _texts(argument: Argument, raw: Any) -> tuple[str, ...]:
    if isinstance(raw, str):
        listed = _json_list(raw)
        raw = [raw] if listed is None else listed
    if not isinstance(raw, list | tuple) or not all(isinstance(item, str) for item in raw):
        raise _refuse(argument, raw, "a string or a list of strings")
    if len(raw) > MAX_GLOBS:
        raise QueryError(f"argument `{argument.name}` may have at most {MAX_GLOBS} items, not {len(raw)}")
    for item in raw:
        if argument.choices and item not in argument.choices:
            raise _not_a_choice(argument, item)
        if len(item) > MAX_GLOB_CHARS:
            raise QueryError(f"an item of `{argument.name}` may have at most {MAX_GLOB_CHARS} characters")
    if not argument.choices and sum(map(len, raw)) > MAX_GLOBS_CHARS:
        raise QueryError(f"the items of `{argument.name}` may have at most {MAX_GLOBS_CHARS:,} characters together")
    return tuple(item for item in raw if item)


def _json_list(text: str) -> list[Any] | None:
    """Some clients send a list as its JSON text."""
    if not text.startswith("["):
        return None
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return None  # a glob may well begin with a bracket
    return parsed if isinstance(parsed, list) else None


def _boolean(argument: Argument, raw: Any) -> bool:
    if isinstance(raw, bool):
        return raw
    if isinstance(raw, str) and raw.lower() in ("true", "false"):
        return raw.lower() == "true"
    raise _refuse(argument, raw, "true or false")


def _number(argument: Argument, raw: Any) -> int | float:
    wanted = "a whole number" if argument.kind == "integer" else "a number"
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        raise _refuse(argument, raw, wanted)
    try:
        value = float(raw)
    except (ValueError, OverflowError) as error:
        raise _refuse(argument, raw, wanted) from error
    if argument.kind == "integer" and not value.is_integer():
        raise _refuse(argument, raw, wanted)
    low, high = argument.minimum, argument.maximum
    if value != value or (low is not None and value < low) or (high is not None and value > high):
        raise _refuse(
            argument, raw, f"between {low:g} and {high:g}" if low is not None and high is not None else wanted
        )
    return int(value) if argument.kind == "integer" else value


def _object(argument: Argument, raw: Any) -> Mapping[str, Any]:
    if isinstance(raw, str) and raw.startswith("{"):
        try:
            raw = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise _refuse(argument, raw, "an object") from error
    if not isinstance(raw, Mapping):
        raise _refuse(argument, raw, f"an object with the keys {', '.join(argument.choices)}")
    for key in raw:
        if key not in argument.choices:
            close = nearest(str(key)[:_MAX_VALUE_CHARS_SHOWN], argument.choices)
            hint = f"did you mean `{close}`?" if close else f"known ones: {', '.join(argument.choices)}"
            raise QueryError(f"argument `{argument.name}` has no key `{str(key)[:_MAX_VALUE_CHARS_SHOWN]}`; {hint}")
    return raw


def _plain(argument: Argument, key: str, value: Any) -> str:
    """One value of a filter; which there are is for whoever filters to say."""
    if not isinstance(value, str):
        raise _refuse(Argument(f"{argument.name}.{key[:_MAX_VALUE_CHARS_SHOWN]}", "text", ""), value, "one text")
    return value


def _weight(argument: Argument, key: str, raw: Any) -> float:
    weight = Argument(f"{argument.name}.{key}", "number", "", minimum=0, maximum=1_000_000)
    return float(_number(weight, raw))
