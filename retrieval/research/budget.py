"""Which evidence fits: the budget in tokens, kept exactly.

Blocks get their share in the order of their priority and are shown in the order they were given. The first line that
does not fit ends its block; what is missing is said in a last line, for which some room is set aside. A source line
that is already shown is skipped, so none appears twice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sightline.retrieval.research.model import Block, Fact, LeftOut, Line, Section
from sightline.tokens import chars_within
from sightline.types import MAX_ANSWER_CHARS
from sightline.visible import visible, visible_source

_RESERVE_SHARE = 0.1  # of the budget, for the list of what was left out
_RESERVE_CHARS = (100, 600)  # and never less (but a third of a tiny budget at most) or more than that
_LEFT_OUT = "Left out for the budget"
_CUT = " …"
CHECK = "Check by text"
_NEVER = re.compile(r"(?!)")
# What the last sentence before the first section says where that needs no title, by the title's first word.
_SAYS_SO = {
    "Callers": re.compile(r"^Callers of "),
    "Uses": re.compile(r"^Uses of "),
    "Implementations": re.compile(r" has \d+ direct implementations?\b"),
    "Affected": re.compile(r"^A change of "),
    "Tests": re.compile(r"^Tests of "),
    "In": re.compile(r"in the order of the calls"),
}


@dataclass(frozen=True, slots=True)
class Fitted:
    """What stayed."""

    text: str
    sections: tuple[Section, ...]
    facts: tuple[Fact, ...]
    left_out: tuple[LeftOut, ...]
    paths: tuple[str, ...] = ()  # files that the lines name


def fit(opening: Sequence[str], blocks: Sequence[Block], max_tokens: int) -> Fitted:
    """Fill a budget: the opening lines, then as much of the blocks as fits, then what was left out.

    Every line passes here, so here each of them is made `visible`.
    """
    room = min(chars_within(max_tokens), MAX_ANSWER_CHARS)
    head = "\n".join(map(visible, opening))
    blocks = [_visible(block) for block in blocks]
    head = head if len(head) <= room else (head[: room - len(_CUT)] + _CUT if room > len(_CUT) else head[:room])
    kept, missing = _fill(blocks, room - len(head))
    if missing:
        least, most = _RESERVE_CHARS
        reserve = min(room // 3, most, max(least, int(room * _RESERVE_SHARE)))
        kept, missing = _fill(blocks, room - len(head) - reserve)
    sections, facts = _sections(blocks, kept)
    text = head + "".join(
        _written(section, head, alone=not number and _alone(sections)) for number, section in enumerate(sections)
    )
    paths = _paths(blocks, kept, facts)
    return Fitted(_with_left_out(text, missing, room), sections, facts, tuple(missing), paths)


def _alone(sections: Sequence[Section]) -> bool:
    """Is the first section the only one of its kind?"""
    kinds = [section.title.partition(" of ")[0] for section in sections]
    return kinds.count(kinds[0]) == 1


def _written(section: Section, head: str, *, alone: bool) -> str:
    """A section under its title; the first one without, where the last sentence before it says the same."""
    said = head.rpartition("\n")[2]
    titled = not (alone and _SAYS_SO.get(section.title.partition(" ")[0], _NEVER).search(said))
    if section.title == CHECK:  # which says itself what it is
        return "\n\n" + "\n".join(section.lines)
    return (f"\n\n## {section.title}\n" if titled else "\n") + "\n".join(section.lines)


def _visible(block: Block) -> Block:
    lines = [
        replace(line, text=visible(line.text) if line.source is None else visible_source(line.text))
        for line in block.lines
    ]
    title, more, what = visible(block.title), visible(block.more), visible(block.what)
    return replace(block, title=title, more=more, what=what, lines=lines)


def _fill(blocks: Sequence[Block], spare: int) -> tuple[dict[int, list[Line]], list[LeftOut]]:
    """Share out the room: which lines of which block stay, and what is missing."""
    shown: set[tuple[str, int]] = set()
    titled: set[str] = set()
    kept: dict[int, list[Line]] = {}
    missing: list[LeftOut] = []
    for number in sorted(range(len(blocks)), key=lambda n: (blocks[n].priority, n)):
        block = blocks[number]
        title_cost = 0 if block.title in titled else len(block.title) + 5  # blank line, "## ", line end
        lines, cost, dropped = _take(block, spare - title_cost, shown)
        if dropped:
            missing.append(LeftOut(f"{block.title}: {dropped} {block.what}", dropped, block.more))
        if lines:
            kept[number] = lines
            titled.add(block.title)
            spare -= cost + title_cost
            shown.update(line.source for line in lines if line.source is not None)
    return kept, missing


def _take(block: Block, spare: int, shown: set[tuple[str, int]]) -> tuple[list[Line], int, int]:
    """The lines of a block that fit, their cost, and how many were dropped: high ranks first, then the last lines."""
    wanted = [line for line in block.lines if line.source is None or line.source not in shown]
    total = sum(not line.heading for line in wanted)
    chosen = wanted
    for rank in sorted({line.rank for line in wanted}, reverse=True):
        chosen = [line for line in wanted if line.rank <= rank]
        if sum(len(line.text) + 1 for line in chosen) <= spare:
            break
    lines: list[Line] = []
    pending: list[Line] = []
    cost = taken = 0
    for line in chosen:
        if line.heading:
            pending = [*_outer(pending, line), line]
            continue
        added = [*pending, line]
        price = sum(len(part.text) + 1 for part in added)
        if cost + price > spare:
            break
        lines += added
        cost, pending, taken = cost + price, [], taken + 1
    if taken < min(block.least, total):
        return [], 0, total
    return lines, cost, total - taken


def _outer(pending: list[Line], line: Line) -> list[Line]:
    """Headings still waiting that the new one stands below: those with less indentation."""
    depth = len(line.text) - len(line.text.lstrip())
    return [other for other in pending if len(other.text) - len(other.text.lstrip()) < depth]


def _sections(blocks: Sequence[Block], kept: dict[int, list[Line]]) -> tuple[tuple[Section, ...], tuple[Fact, ...]]:
    by_title: dict[str, list[str]] = {}
    facts: dict[Fact, None] = {}
    for number, block in enumerate(blocks):
        for line in kept.get(number, ()):
            by_title.setdefault(block.title, []).append(line.text)
            facts.update(dict.fromkeys(line.facts))
    return tuple(Section(title, tuple(lines)) for title, lines in by_title.items()), tuple(facts)


def _paths(blocks: Sequence[Block], kept: dict[int, list[Line]], facts: Sequence[Fact]) -> tuple[str, ...]:
    named = {path for fact in facts for path in (fact.path, fact.source_path, fact.target_path)}
    for number in range(len(blocks)):
        for line in kept.get(number, ()):
            named.add(line.path)
            named.add(line.source[0] if line.source is not None else "")
    return tuple(sorted(named - {""}))


def _joined(missing: Sequence[LeftOut]) -> list[LeftOut]:
    """What is missing, the blocks of one section as one."""
    by_title: dict[str, list[LeftOut]] = {}
    for entry in missing:
        by_title.setdefault(re.sub(r"\d+", "", entry.what), []).append(entry)
    joined = []
    for entries in by_title.values():
        first, total = entries[0], sum(entry.count for entry in entries)
        what = re.sub(r"\d+(?= [\w ]+$)", str(total), first.what)
        joined.append(first if len(entries) == 1 else LeftOut(what, total, "a larger max_tokens"))
    return joined


def _with_left_out(text: str, missing: Sequence[LeftOut], room: int) -> str:
    """Say in one line what is missing, with how to get it."""
    whole = text
    for entry in _joined(missing):
        how = f" ({entry.how})" if entry.how else ""
        part = (f"\n\n{_LEFT_OUT}: " if whole is text else "; ") + entry.what + how
        if len(whole) + len(part) > room:
            break
        whole += part
    return whole
