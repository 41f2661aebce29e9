"""What a query string asks for: the terms to look up, and what kind of answer would fit.

Any string is legal. The analysis is capped (characters, terms), so a megabyte of text costs no more than a long
sentence. Nothing here touches the index.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from sightline.tokens import stem, subwords, tokenize

MAX_QUERY_CHARS = 4_000  # longer text is cut: a query is a question, not a file
MAX_TERMS = 64  # distinct words looked up in BM25, variants not counted
MAX_VARIANT_WORDS = 6  # only the first so many words are looked up in other forms too: more found nothing better

JOINED_BOOST = 1.5  # a whole identifier is worth more than one of its sub-words
SYMBOL_BOOST = 2.0  # and more still when the query consists of it or marks it as code
VARIANT_BOOST = 0.35  # `handler` for a query that says `handling`

QueryKind = Literal["symbol", "path", "natural"]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_STOP_WORDS = _set(
    "a an and any are as at be been being but by can code could did do does doing done each find for from get gets give"
    " had has have how i if in into is it its like look make me my of on one or our out over same shall should show so"
    " some such than that the their them then there these they thing this those through to under up us use used uses"
    " using via was way we were what when where which while who whom whose why will with within without would you your"
    " implement implemented implementation implements logic defined define work works working happen happens"
)
_TEST_WORDS = _set("test tests testing tested spec specs unittest unittests fixture fixtures mock mocks")
_DOC_WORDS = _set("readme doc docs documentation guide tutorial changelog license contributing manual")
_EXAMPLE_WORDS = _set("example examples sample samples demo demos benchmark benchmarks bench")
_COPY_WORDS = _set("compat compatibility legacy deprecated old vendor vendored polyfill polyfills")
_VERSION = re.compile(r"\bv\d{1,4}\b", re.IGNORECASE)
_IDENTIFIER = re.compile(r"[^\W\d]\w*", re.UNICODE)
_CODE_LIKE = re.compile(r"^_|[a-z0-9]_[a-z0-9]|[a-z][A-Z]|[A-Z]{2,}[a-z]|[A-Z]+_[A-Z]|\w\d", re.ASCII)
_QUALIFIED = re.compile(r"^[\w$@#?!]+(?:(?:::|\.|#|->|/)[\w$@?!]+)*(?:\(\s*\))?$", re.UNICODE)
_QUALIFIER = re.compile(r"::|\.|#|->|/")
_PATH_LIKE = re.compile(r"^[\w.@+~-]*(?:/[\w.@+~-]+)+/?$|^[\w@+~-]+(?:\.[\w@+~-]+)*\.[a-z]{1,4}$", re.UNICODE)
# "what calls login", "callers of login", "who is it used by": questions that an edge answers, not a piece of code.
_ABOUT_RELATIONSHIPS = re.compile(
    r"\b(?:what|who|which|where)\b.{0,60}\b(?:calls?|uses?|imports?|inherits?|extends?|implements?|overrides?|depends|"
    r"references?|instantiates?|creates?|tests?|retries|raises|throws)\b"
    r"|\b(?:callers?|callees?|calls|usages?|users?|subclass(?:es)?|implementations?|implementors?|references|"
    r"dependencies|dependents|importers?|overrides)\s+(?:of|to|on)\b"
    r"|\b(?:called|used|imported|inherited|implemented|overridden|referenced|instantiated|tested)\s+(?:by|from|in)\b"
    r"|\w\s+(?:calls|imports|inherits|extends|overrides|instantiates|implements)\s+\w+$",
    re.IGNORECASE,
)
# Only from where a word begins: tried from each of its letters, a word of 4,000 takes 0.2 s.
_CALLED = re.compile(r"(?<!\w)([^\W\d]\w*)\s*\(", re.UNICODE)
_QUOTED = re.compile(r'"([^"\n]{2,200})"|`([^`\n]{2,200})`')
_DEFINING = _set(
    "func function fn def class struct enum interface trait protocol impl method type module const let var"
)
_FILE_ENDINGS = _set(
    "py pyi ts tsx js jsx mjs go rs java kt swift c h cc cpp hpp cs rb php scala lua sh bash zig ex exs hs dart sql md"
    " toml yaml yml json html css pl pm psgi vue svelte astro pyx pxd m mm jl ps1 psm1 ml mli fs fsx sol mk tf hcl nix"
    " dockerfile"
)

# Word endings that belong together in code and in questions about it: ending → what may stand in its place.
_ENDINGS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ization", ("ize", "izer", "ized", "izing")),
    ("isation", ("ise", "iser", "ised", "ize")),
    ("ication", ("y", "icate", "icator", "ied")),
    ("ation", ("ate", "ator", "e", "er", "", "ated", "ating")),
    ("ution", ("ute", "utor", "ve", "ver", "ving")),
    ("ption", ("pt", "ptor", "be", "ber")),
    ("ction", ("ct", "ctor", "cted", "cting")),
    ("sion", ("de", "d", "se", "sive")),
    ("tion", ("t", "te", "tor", "ted", "ting")),
    ("ment", ("", "ed", "ing")),
    ("ance", ("", "e", "ant")),
    ("ence", ("", "e", "ent")),
    ("ing", ("", "e", "er", "ed", "s", "es", "or", "ion")),
    ("ies", ("y", "ied")),
    ("ers", ("er", "", "e", "ing")),
    ("ors", ("or", "e", "ion")),
    ("er", ("e", "", "ing", "ers", "ed")),
    ("or", ("e", "ors", "ion", "ing")),
    ("ed", ("", "e", "ing", "er", "s")),
    ("es", ("e", "", "ing", "er", "ed")),
    ("s", ("", "ing", "er", "ed")),
    ("e", ("es", "ed", "ing", "er", "or", "ion")),
    ("y", ("ies", "ied", "ier")),
)
_PLAIN_ENDINGS = ("s", "er", "ing", "ed", "ers")
_MIN_WORD_BASE = 3  # shorter bases match anything


@dataclass(frozen=True, slots=True)
class Analysis:
    """A query, understood."""

    text: str  # capped
    kind: QueryKind
    terms: Mapping[str, float]  # for BM25: term → boost, in the form the index has them
    words: tuple[str, ...]  # topic words in order, lower-case, no repeats
    symbols: tuple[str, ...]  # identifiers as written that look like code (`Class.method` gives the last part)
    qualifiers: tuple[str, ...]  # what stood before the symbol: `Class` of `Class.method`
    phrases: tuple[str, ...]  # quoted
    wants_tests: bool
    wants_docs: bool
    wants_examples: bool
    wants_copies: bool  # old versions, compatibility or vendored code
    wants_relationships: bool

    @property
    def names_code(self) -> bool:
        """True when the query is one name that is no word of a language: `parseUrl`, `Session.send`."""
        return self.kind == "symbol" and bool(self.qualifiers or _CODE_LIKE.search("".join(self.symbols)))

    @property
    def empty(self) -> bool:
        """True when there is nothing to look up: no letter, no digit."""
        return not self.terms


def analyse(text: str) -> Analysis:
    """Understand a query string."""
    capped = " ".join(text[:MAX_QUERY_CHARS].replace("\0", " ").split())
    phrases = tuple(dict.fromkeys(a or b for a, b in _QUOTED.findall(capped)))
    kind = _kind(capped)
    symbols, qualifiers = _symbols(capped, kind, phrases)
    words = _topic_words(capped, keep_all=kind != "natural")
    asked = {word for part in _IDENTIFIER.findall(capped) for word in subwords(part)}
    return Analysis(
        text=capped,
        kind=kind,
        terms=_terms(capped, kind, words, symbols),
        words=words,
        symbols=symbols,
        qualifiers=qualifiers,
        phrases=phrases,
        wants_tests=bool(asked & _TEST_WORDS),
        wants_docs=bool(asked & _DOC_WORDS),
        wants_examples=bool(asked & _EXAMPLE_WORDS),
        wants_copies=bool(asked & _COPY_WORDS) or _VERSION.search(capped) is not None,
        wants_relationships=kind == "natural" and _ABOUT_RELATIONSHIPS.search(capped[:500]) is not None,
    )


def _kind(text: str) -> QueryKind:
    bare = text.strip("`\"' ")
    if " " in bare:
        return "natural"
    if _PATH_LIKE.match(bare) and ("/" in bare or bare.rsplit(".", 1)[-1] in _FILE_ENDINGS):
        return "path"
    return "symbol" if _QUALIFIED.match(bare) else "natural"


def _symbols(text: str, kind: QueryKind, phrases: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if kind == "symbol":
        parts = [part for part in _QUALIFIER.split(text.strip("`\"' ").rstrip("()").strip()) if part]
        return ((parts[-1],), tuple(parts[:-1])) if parts else ((), ())
    found: dict[str, None] = {}
    tokens = _IDENTIFIER.findall(text)
    for before, token in zip(["", *tokens], tokens, strict=False):
        if _CODE_LIKE.search(token) or (before.lower() in _DEFINING and token.lower() not in _STOP_WORDS):
            found.setdefault(token)
    for token in (*_CALLED.findall(text), *(phrase for phrase in phrases if _IDENTIFIER.fullmatch(phrase))):
        found.setdefault(token)
    return tuple(found)[:MAX_TERMS], ()


def _topic_words(text: str, *, keep_all: bool) -> tuple[str, ...]:
    every = dict.fromkeys(word for part in re.findall(r"\w+", text) for word in subwords(part))
    topical = [word for word in every if word not in _STOP_WORDS and (len(word) > 1 or not word.isascii())]
    chosen = list(every) if keep_all or not topical else topical
    return tuple(chosen[:MAX_TERMS])


def _terms(text: str, kind: QueryKind, words: tuple[str, ...], symbols: tuple[str, ...]) -> dict[str, float]:
    marked = {symbol.replace("_", "").lower() for symbol in symbols}
    topical = set(words)
    terms: dict[str, float] = {}
    for term in tokenize(text):
        if term in terms:
            continue
        if term in marked:
            terms[term] = SYMBOL_BOOST
        elif term in topical:
            terms[term] = 1.0
        elif term in _STOP_WORDS or len(term) == 1:
            continue  # no topic, and the longest lists of the index
        else:
            terms[term] = JOINED_BOOST
        if len(terms) >= MAX_TERMS:
            break
    if kind == "natural":
        for word in words[:MAX_VARIANT_WORDS]:
            for variant in variants(word):
                terms.setdefault(variant, VARIANT_BOOST)
    return terms


@lru_cache(maxsize=20_000)
def variants(word: str) -> tuple[str, ...]:
    """Return other forms of an English word (`validation` → validate, validator, …); none for short words."""
    if not word.isascii() or len(word) < _MIN_WORD_BASE + 1:
        return ()
    found: dict[str, None] = {}
    for ending, others in _ENDINGS:
        base = word[: -len(ending)]
        if word.endswith(ending) and len(base) >= _MIN_WORD_BASE and not word.endswith("ss"):
            for other in others:
                found.setdefault(base + other)
            if len(base) > _MIN_WORD_BASE and base[-1] == base[-2]:
                found.setdefault(base[:-1])
            break
    else:
        for ending in _PLAIN_ENDINGS:
            found.setdefault(word + ending)
    found.setdefault(stem(word))
    found.pop(word, None)
    return tuple(found)
