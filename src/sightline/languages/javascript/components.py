"""Vue, Svelte and Astro: a component has its script as TypeScript, and its template calls what the script has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sightline.languages.facts import REFERENCE_SITE, position

if TYPE_CHECKING:
    from sightline.languages.reading import Reading

COMPONENTS = frozenset({"vue", "svelte", "astro"})
_SCRIPT = re.compile(rb"<script\b([^>]{0,500})>(.*?)</script\s*>", re.IGNORECASE | re.DOTALL)
_OTHER_SCRIPT = re.compile(rb"""type\s*=\s*["'](?!(?:module|text/(?:java|type)script))""", re.IGNORECASE)
_FRONT = re.compile(rb"\A\s*---[ \t]*\r?\n(.*?)^---[ \t]*$", re.DOTALL | re.MULTILINE)
_NOT_TEMPLATE = re.compile(
    rb"<(script|style)\b[^>]{0,500}>.*?</\1\s*>|<!--.*?-->|\A\s*---[ \t]*\r?\n.*?^---[ \t]*$",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_BLANKED = re.compile(rb"[^\n]")
_TAG = re.compile(r"<([A-Z][\w.]*|[a-z]+(?:-[a-z0-9]+)+)")
# Where a template holds code: `{{ … }}`, `{ … }`, and what a bound attribute is given.
_CODE = re.compile(r"\{\{(.{1,500}?)\}\}|\{([^{}\n]{1,500})\}|(?:[@:#]|v-|on:|on)[\w.:-]*\s*=\s*\"([^\"\n]{1,500})\"")
_WORD = re.compile(r"(?<![\w.$])([A-Za-z_$][\w$]*)\s*(\()?")
_HANDLER = re.compile(r"(?:[\s\"'}](?:on:?|v-on:)|@)[\w.:|-]*\s*=\s*\"?\Z")
_MAX_TEMPLATE = 400_000


def script_of(source: bytes) -> bytes:
    """The file with everything but its scripts (and Astro's front matter) blank, line by line."""
    kept = [match.span(2) for match in _SCRIPT.finditer(source) if not _OTHER_SCRIPT.search(match.group(1))]
    if front := _FRONT.match(source):
        kept.append(front.span(1))
    parts, at = [], 0
    for start, end in sorted(kept):
        if start >= at:
            parts += [_blank(source[at:start]), source[start:end]]
            at = end
    return b"".join([*parts, _blank(source[at:])])


def _blank(text: bytes) -> bytes:
    return _BLANKED.sub(b" ", text)


def read_template(reading: Reading) -> None:
    """State the components that a template shows and the functions that it calls: names that the script has."""
    facts = reading.facts
    known = {facts.names[bound.name] for bound in facts.bindings if bound.scope == reading.module_scope}
    functions = {d.name for d in reading.outlined if d.kind in ("function", "method")}
    text = _NOT_TEMPLATE.sub(lambda m: _blank(m.group()), reading.source[:_MAX_TEMPLATE]).decode("utf-8", "replace")
    starts = [0, *(at + 1 for at, character in enumerate(text) if character == "\n")]
    row = 0
    for at, name, called in sorted(_mentions(text)):
        while row + 1 < len(starts) and starts[row + 1] <= at:
            row += 1
        if name in functions or name in known:
            kind = 0 if called else REFERENCE_SITE
            facts.site(reading.module_scope, facts.named(name), -1, position(row, at - starts[row]), kind)


def _mentions(text: str) -> Iterator[tuple[int, str, bool]]:
    """Where a name stands, the name, and whether it is called there."""
    for tag in _TAG.finditer(text):
        words = tag.group(1)
        yield (
            tag.start(1),
            "".join(p.title() for p in words.split("-")) if "-" in words else words.partition(".")[0],
            True,
        )
    for code in _CODE.finditer(text):
        group = next(number for number in (1, 2, 3) if code.group(number) is not None)
        for word in _WORD.finditer(code.group(group)):
            alone = word.group(1) == code.group(group).strip()
            if word.group(2) or alone:
                called = bool(word.group(2)) or _is_handler(text, code)
                yield code.start(group) + word.start(1), word.group(1), called


def _is_handler(text: str, code: re.Match[str]) -> bool:
    """`@click="f"`, `on:click={f}`: the framework calls what it is given."""
    return (
        _HANDLER.search(text, max(code.start() - 40, 0), code.start(3) if code.group(3) else code.start()) is not None
    )
