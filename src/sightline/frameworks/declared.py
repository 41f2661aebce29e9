"""What else frameworks declare beside routes: which class is which table, and what is injected for what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from sightline.frameworks.masked import MaskedText
from sightline.frameworks.model import Injection, Rules, Table, TableRule
from sightline.frameworks.words import plural, underscored

_ABOVE = 1_500  # characters above a class in which its annotations stand
_ENDED = re.compile(r"[};][ \t]*\r?\n")  # what stands above an annotation ends so
_ROUNDS = 6  # of models that derive from models


class _Class(NamedTuple):
    """A class that may stand for a table."""

    name: str
    bases: frozenset[str]
    derives: bool  # is it a model where one of its bases is?
    is_model: bool
    table: Table | None  # its own, if it is a model


class _Declared(NamedTuple):
    """What one file declares."""

    tables: tuple[Table, ...] = ()
    classes: tuple[_Class, ...] = ()


def tables_of(rules: Rules, sources: Iterable[MaskedText]) -> list[Table]:
    """The models that these files declare, with their tables."""
    noted = [source.notes.once(("tables", rules.key), partial(_declared, rules, source)) for source in sources]
    classes = [one for declared in noted for one in declared.classes]
    models = _spread(classes)
    found = [table for declared in noted for table in declared.tables]
    return found + [one.table for one, is_model in zip(classes, models, strict=True) if is_model and one.table]


def _declared(rules: Rules, source: MaskedText) -> _Declared:
    if rules.marks and not re.search(rules.marks, source.raw, re.MULTILINE):
        return _Declared()
    found: list[Table] = []
    classes: list[_Class] = []
    for rule in rules.tables:
        for match in _compiled(rule.model).finditer(source.code):
            whole = (
                match if "table" not in match.groupdict() else _compiled(rule.model).match(source.text, match.start())
            )
            if whole is None:
                continue
            if "table" in whole.groupdict():
                line = source.line(match.start("name"))
                found.append(Table(rules.name, whole["name"], whole["table"], source.path, line, "named", 0.95))
            else:
                classes.append(_class(rules, source, rule, match))
    return _Declared(tuple(found), tuple(classes))


def _class(rules: Rules, source: MaskedText, rule: TableRule, match: re.Match[str]) -> _Class:
    bases = match.groupdict().get("bases") or ""
    near = source.code[max(match.start() - _ABOVE, 0) : match.start()]
    cut = max((end.end() for end in _ENDED.finditer(near)), default=0)
    above = source.text[match.start() - len(near) + cut : match.start()]
    based = bool(rule.base) and re.search(rule.base, bases) is not None
    is_model = based or (bool(rule.above) and re.search(rule.above, above) is not None)
    table = _table(rules, source, rule, match, above) if is_model or rule.base else None
    return _Class(match["name"], frozenset(re.findall(r"\w+", bases)), bool(rule.base), is_model, table)


def _end(source: MaskedText, match: re.Match[str]) -> int:
    """Where a class ends."""
    if source.language in ("python", "ruby"):
        indent = re.match(r"[ \t]*", match[0].lstrip("\n"))
        width = len(indent[0]) if indent is not None else 0
        ends = re.compile(rf"\n[ \t]{{0,{width}}}(?:class|def|module|end|@)\b").search(source.code, match.end())
        return ends.start() if ends is not None else len(source.code)
    opened = source.code.find("{", match.start())
    return source.end(opened) if opened >= 0 else len(source.code)


def _spread(classes: Sequence[_Class]) -> list[bool]:
    """Which classes are models: what derives from a model is one."""
    models = [one.is_model for one in classes]
    for _ in range(_ROUNDS):
        known = {one.name for one, is_model in zip(classes, models, strict=True) if is_model}
        more = [n for n, one in enumerate(classes) if not models[n] and one.derives and one.bases & known]
        for number in more:
            models[number] = True
        if not more:
            break
    return models


def _table(rules: Rules, source: MaskedText, rule: TableRule, match: re.Match[str], above: str) -> Table | None:
    name, body = match["name"], source.text[match.end() : _end(source, match)]
    if rule.abstract and re.search(rule.abstract, body):
        return None
    line = source.line(match.start("name"))
    for text in (above, body):
        named = re.search(rule.named, text) if rule.named else None
        if named is not None:
            return Table(rules.name, name, named["table"].strip("`"), source.path, line, "named", 0.95)
    default = _default(rule.default, name, source.path)
    return Table(rules.name, name, default, source.path, line, "by its name", rule.confidence) if default else None


def _default(how: str, name: str, path: str) -> str:
    """How a table is called that nothing names."""
    snake = underscored(name)
    if how == "snake":
        return snake
    if how == "snake_plural":
        head, joint, last = snake.rpartition("_")
        return f"{head}{joint}{plural(last)}"
    if how == "lower":
        return name.lower()
    if how == "app_lower":  # Django: the folder of the application, and the name
        folders = [folder for folder in path.split("/")[:-1] if folder != "models"]
        return f"{folders[-1]}_{name.lower()}" if folders else ""
    return ""


def injections_of(rules: Rules, sources: Iterable[MaskedText]) -> Iterator[Injection]:
    """What these files say is given for what."""
    for source in sources:
        yield from source.notes.once(("injections", rules.key), partial(_injected, rules, source))


def _injected(rules: Rules, source: MaskedText) -> tuple[Injection, ...]:
    return tuple(_given(rules, source))


def _given(rules: Rules, source: MaskedText) -> Iterator[Injection]:
    if rules.marks and not re.search(rules.marks, source.raw, re.MULTILINE):
        return
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
