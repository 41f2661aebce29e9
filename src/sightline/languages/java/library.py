"""What is known of Java's standard library: results of collections, and member names too common to guess by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sightline.languages.values import External

if TYPE_CHECKING:
    from sightline.languages.values import Values

_COMMON_TEXT = (
    "accept add addAll apply asList append build builder call charAt clear close collect compare compareTo contains "
    "containsKey copy count create delete endsWith entrySet equals execute exists filter find findFirst flush forEach "
    "format get getBytes getClass getId getKey getMessage getName getType getValue hasNext hashCode indexOf init "
    "intValue invoke isEmpty isInstance isPresent iterator join keySet length limit list load lock longValue map match "
    "matches max merge min name newInstance next nextInt of open orElse parse parseInt peek poll pop print println "
    "printStackTrace push put putAll read readLine reduce remove replace reset resolve run save set setName setValue "
    "size skip sort split start startsWith stop stream submit substring sum test then toArray toList toLowerCase "
    "toString toUpperCase trim type unlock update valueOf value values wait write writeTo"
)
COMMON_MEMBERS = frozenset(_COMMON_TEXT.split())
_ELEMENT_TEXT = (
    "get remove next first last getFirst getLast peek poll pop orElse orElseThrow findFirst take element iterator "
    "orElseGet"
)
_ELEMENT = frozenset(_ELEMENT_TEXT.split())
_SAME_TEXT = (
    "stream iterator filter limit skip sorted distinct subList listIterator toList findFirst findAny peek "
    "reversed parallel"
)
_SAME = frozenset(_SAME_TEXT.split())
_MAPS_TEXT = "Map HashMap LinkedHashMap TreeMap ConcurrentMap ConcurrentHashMap SortedMap NavigableMap"
_MAPS = frozenset(_MAPS_TEXT.split())


# How many of their leading type arguments a function of these types is given.
_GIVEN = {
    "Consumer": 1, "Predicate": 1, "Function": 1, "UnaryOperator": 1, "ToIntFunction": 1, "ToLongFunction": 1,
    "ToDoubleFunction": 1, "BiConsumer": 2, "BiFunction": 2, "BiPredicate": 2,
}  # fmt: skip


def external_given(name: str, arguments: tuple[Any, ...], index: int) -> Values:
    """What a function of a library's type is given as one of its arguments."""
    short = name.rpartition(".")[2]
    if short in ("Comparator", "BinaryOperator") and arguments and index < 2:
        return tuple(arguments[0])
    return tuple(arguments[index]) if index < min(_GIVEN.get(short, 0), len(arguments)) else ()


def external_result(name: str, arguments: tuple[Any, ...]) -> Values | None:
    """What the methods of collections, maps, optionals and streams give."""
    if not arguments:
        return None
    container, _, method = name.rpartition(".")
    short = container.rpartition(".")[2]
    if short in _MAPS and len(arguments) > 1:
        if method in ("get", "put", "remove", "getOrDefault", "computeIfAbsent", "putIfAbsent"):
            return tuple(arguments[1])
        if method == "values":
            return (External("Collection", (arguments[1],)),)
        if method == "keySet":
            return (External("Set", (arguments[0],)),)
        if method == "entrySet":
            return (External("Set", ((External("Entry", arguments),),)),)
        return None
    if short == "Entry" and len(arguments) > 1:
        return tuple(arguments[1] if method == "getValue" else arguments[0])
    if method in _SAME:
        return (External(container, arguments),)
    if method in _ELEMENT:
        return tuple(arguments[0])
    return None
