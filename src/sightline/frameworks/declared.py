"""What else frameworks declare beside routes: which class is which table, and what is injected for what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from sightline.frameworks.masked import MaskedText
from sightline.frameworks.model import Injection, Rules, Table, TableRule
from sightline.frameworks.words import plural, underscored

_ABOVE = 1_500  # characters above a class in which its annotations stand
_ENDED = re.compile(r"[};][ \t]*\r?\n")  # what stands above an annotation ends so
_ROUNDS = 6  # of models that derive from models


@dataclass(slots=True)
class _Class:
    source: MaskedText
    rule: TableRule
    name: str
    bases: frozenset[str]
    start: int
    body: str
    above: str
    is_model: bool = False
    seen: set[str] = field(default_factory=set)


def tables_of(rules: Rules, sources: Iterable[MaskedText]) -> list[Table]:
    """The models that these files declare, with their tables."""
    found: list[Table] = []
    classes: list[_Class] = []
    for source in sources:
        if rules.marks and not re.search(rules.marks, source.raw, re.MULTILINE):
            continue
        for rule in rules.tables:
            for match in _compiled(rule.model).finditer(source.code):
                whole = (
                    match
                    if "table" not in match.groupdict()
                    else _compiled(rule.model).match(source.text, match.start())
                )
                if whole is None:
                    continue
                if "table" in whole.groupdict():
                    line = source.line(match.start("name"))
                    found.append(Table(rules.name, whole["name"], whole["table"], source.path, line, "named", 0.95))
                else:
                    classes.append(_class(source, rule, match))
    _spread(classes)
    found += [table for one in classes if one.is_model and (table := _table(rules, one)) is not None]
    return found


def _class(source: MaskedText, rule: TableRule, match: re.Match[str]) -> _Class:
    bases = frozenset(re.findall(r"\w+", match.groupdict().get("bases") or ""))
    above = source.code[max(match.start() - _ABOVE, 0) : match.start()]
    cut = max((end.end() for end in _ENDED.finditer(above)), default=0)
    begin = match.start() - len(above) + cut
    made = _Class(
        source, rule, match["name"], bases, match.start("name"), source.text[match.end() : _end(source, match)],
        source.text[begin : match.start()],
    )  # fmt: skip
    based = bool(rule.base) and re.search(rule.base, match.groupdict().get("bases") or "") is not None
    made.is_model = based or (bool(rule.above) and re.search(rule.above, made.above) is not None)
    return made


def _end(source: MaskedText, match: re.Match[str]) -> int:
    """Where a class ends."""
    if source.language in ("python", "ruby"):
        indent = re.match(r"[ \t]*", match[0].lstrip("\n"))
        width = len(indent[0]) if indent is not None else 0
        ends = re.compile(rf"\n[ \t]{{0,{width}}}(?:class|def|module|end|@)\b").search(source.code, match.end())
        return ends.start() if ends is not None else len(source.code)
    opened = source.code.find("{", match.start())
    return source.end(opened) if opened >= 0 else len(source.code)


def _spread(classes: list[_Class]) -> None:
    """What derives from a model is one."""
    for _ in range(_ROUNDS):
        known = {one.name for one in classes if one.is_model}
        more = [one for one in classes if not one.is_model and one.rule.base and one.bases & known]
        for one in more:
            one.is_model = True
        if not more:
            return


def _table(rules: Rules, one: _Class) -> Table | None:
    rule = one.rule
    if rule.abstract and re.search(rule.abstract, one.body):
        return None
    line = one.source.line(one.start)
    for text in (one.above, one.body):
        named = re.search(rule.named, text) if rule.named else None
        if named is not None:
            return Table(rules.name, one.name, named["table"].strip("`"), one.source.path, line, "named", 0.95)
    default = _default(rule.default, one)
    if not default:
        return None
    return Table(rules.name, one.name, default, one.source.path, line, "by its name", rule.confidence)


def _default(how: str, one: _Class) -> str:
    snake = underscored(one.name)
    if how == "snake":
        return snake
    if how == "snake_plural":
        head, joint, last = snake.rpartition("_")
        return f"{head}{joint}{plural(last)}"
    if how == "lower":
        return one.name.lower()
    if how == "app_lower":  # Django: the folder of the application, and the name
        folders = [folder for folder in one.source.path.split("/")[:-1] if folder != "models"]
        return f"{folders[-1]}_{one.name.lower()}" if folders else ""
    return ""


def injections_of(rules: Rules, sources: Iterable[MaskedText]) -> Iterator[Injection]:
    """What these files say is given for what."""
    for source in sources:
        if rules.marks and not re.search(rules.marks, source.raw, re.MULTILINE):
            continue
        for rule in rules.injections:
            for match in _compiled(rule.pattern).finditer(source.code):
                value = match["value"].rpartition(".")[2]
                keys = re.findall(r"[A-Za-z_]\w*", re.sub(r"<[^<>]*>", "", match.groupdict().get("key") or value))
                for key in [key for key in keys if not re.fullmatch(rules.usual or "-", key)] or [value]:
                    line = source.line(match.start("value"))
                    yield Injection(rules.name, key, value, source.path, line, rule.how, rule.confidence)


@lru_cache(maxsize=200)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)
