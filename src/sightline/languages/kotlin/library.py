"""Names that Kotlin brings along."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sightline.languages.facts import FUNCTION_TYPE, RECEIVING_TYPE
from sightline.languages.library import EVERYWHERE, words
from sightline.languages.values import External

if TYPE_CHECKING:
    from sightline.languages.values import Values

BUILTINS = words(
    """
    also apply arrayOf arrayListOf assert check checkNotNull coroutineScope emptyList emptyMap emptySet error
    emptyArray hashMapOf hashSetOf intArrayOf joinAll launch lazy let linkedMapOf listOf listOfNotNull longArrayOf
    mapOf maxOf measureTimeMillis minOf mutableListOf mutableMapOf mutableSetOf print println repeat require
    requireNotNull run runBlocking runCatching sequence sequenceOf setOf sortedMapOf suspendCoroutine synchronized
    TODO use with withContext withTimeout async delay byteArrayOf buildList buildString buildMap to flow flowOf
    assertEquals assertTrue assertFalse assertNull assertNotNull assertFailsWith fail IllegalArgumentException
    IllegalStateException
    """
)
COMMON_MEMBERS = (
    EVERYWHERE
    | BUILTINS
    | words(
        """
    addAll all associate associateBy associateWith asSequence await awaitAll buffered bufferedReader byteInputStream
    charAt chunked coerceAtLeast coerceAtMost compareTo containsKey containsValue copyInto decodeToString distinct
    distinctBy drop dropLast dropWhile encodeToByteArray endsWith filterIsInstance filterNot filterNotNull filterTo
    firstOrNull flatten fold foldRight forEachIndexed getOrDefault getOrElse getOrNull getOrPut groupBy hashCode
    hasNext ifEmpty indexOfFirst intersect invoke invokeOnCompletion isBlank isNotBlank isNotEmpty isNullOrBlank
    isNullOrEmpty joinToString lastIndexOf lastOrNull lowercase mapIndexed mapNotNull mapTo mapValues maxBy minBy
    minus
    none onEach onFailure onSuccess padEnd padStart partition plus plusAssign putAll readBytes readText reduce
    removeAll removeAt removeIf removePrefix removeSuffix retainAll reversed runCatching setOf shuffled single
    singleOrNull sortBy sortWith sorted sortedBy sortedByDescending split splitToSequence startsWith subList
    substringAfter substringAfterLast substringBefore substringBeforeLast sumOf takeLast takeWhile toBoolean
    toByteArray toDouble toInt toIntOrNull toList toLong toLowerCase toMap toMutableList toMutableMap toPair toRegex
    toSet toString toTypedArray trimEnd trimIndent trimMargin trimStart tryEmit trySend union uppercase withIndex
    writeText zip cancelAndJoin complete completeExceptionally getAndIncrement incrementAndGet compareAndSet
    """
    )
)
# What values of the library are besides: an extension of the latter is one of the former, too.
EXTERNAL_BASES = {
    "String": ("CharSequence", "Comparable"),
    "StringBuilder": ("CharSequence", "Appendable"),
    "MutableList": ("List", "MutableCollection", "Collection", "Iterable"),
    "ArrayList": ("MutableList", "List", "MutableCollection", "Collection", "Iterable"),
    "List": ("Collection", "Iterable"),
    "MutableSet": ("Set", "MutableCollection", "Collection", "Iterable"),
    "Set": ("Collection", "Iterable"),
    "MutableCollection": ("Collection", "Iterable"),
    "Collection": ("Iterable",),
    "MutableMap": ("Map",),
    "HashMap": ("MutableMap", "Map"),
    "LinkedHashMap": ("MutableMap", "Map"),
    "Int": ("Number",),
    "Long": ("Number",),
    "Double": ("Number",),
    "Float": ("Number",),
}
# Functions that run a block on a value, or give it to the block, or give it the elements of the value, one by one.
RUN_ON = frozenset({"apply", "run"})
GIVEN_TO = frozenset({"also", "let", "takeIf", "takeUnless", "use"})
GIVEN_ONE_BY_ONE = words(
    """
    all any associate associateBy associateWith count distinctBy dropWhile filter filterNot filterTo find findLast first
    firstOrNull flatMap forEach groupBy indexOfFirst indexOfLast joinToString last lastOrNull map mapNotNull mapTo maxBy
    maxByOrNull maxOf maxOfOrNull minBy minByOrNull minOf minOfOrNull none onEach partition removeAll removeIf retainAll
    single singleOrNull sortBy sortByDescending sortedBy sortedByDescending sumOf takeWhile
    """
)
# Functions that make a collection of what their type argument says.
COLLECTIONS = {
    **dict.fromkeys(("listOf", "emptyList", "listOfNotNull", "buildList"), "List"),
    **dict.fromkeys(("mutableListOf", "arrayListOf", "ArrayList", "mutableSetOf", "ArrayDeque"), "MutableList"),
    **dict.fromkeys(("setOf", "emptySet", "linkedSetOf", "hashSetOf", "HashSet", "LinkedHashSet"), "Set"),
    **dict.fromkeys(("arrayOf", "emptyArray", "arrayOfNulls", "sequenceOf", "emptySequence"), "List"),
    **dict.fromkeys(("mapOf", "emptyMap", "mutableMapOf", "hashMapOf", "linkedMapOf", "HashMap"), "MutableMap"),
}
_MAPS = words("Map MutableMap HashMap LinkedHashMap TreeMap SortedMap ConcurrentHashMap ConcurrentMap")
_ONE = words(
    """
    elementAt elementAtOrNull find findLast first firstOrNull get getFirst getLast getOrNull last lastOrNull maxBy
    maxByOrNull minBy minByOrNull next peek poll pop previous removeAt removeFirst removeFirstOrNull removeLast
    removeLastOrNull single singleOrNull
    """
)
_SAME = words(
    """
    asReversed distinct distinctBy drop dropLast dropWhile filterNot iterator listIterator minus onEach plus shuffled
    sorted sortedByDescending sortedWith subList take takeLast takeWhile toMutableSet toSet toSortedSet toTypedArray
    """
)


def external_result(name: str, arguments: tuple[Any, ...]) -> Values | None:
    """What calling a function of a declared type gives, and what the methods of collections and maps give."""
    if name in (FUNCTION_TYPE, RECEIVING_TYPE):
        return tuple(arguments[0])
    container, _, method = name.rpartition(".")
    if not arguments or not container:
        return None
    if container in _MAPS and len(arguments) > 1:
        return tuple(arguments[1]) if method in ("get", "getValue", "getOrPut", "getOrElse", "put", "remove") else None
    if method in _ONE:
        return tuple(arguments[0])
    return (External(container, arguments),) if method in _SAME else None


def external_member(name: str, arguments: tuple[Any, ...], member: str) -> Values | None:
    """The parts of a map and of its entries."""
    if len(arguments) < 2:
        return None
    if name in _MAPS:
        if member in ("keys", "values"):
            return (External("Collection", (arguments[0 if member == "keys" else 1],)),)
        return (External("Set", ((External("Entry", arguments),),)),) if member == "entries" else None
    if name == "Entry" and member in ("key", "value"):
        return tuple(arguments[0 if member == "key" else 1])
    return None


def external_element(name: str, arguments: tuple[Any, ...]) -> Values | None:
    """What iterating over a map gives: its entries."""
    return (External("Entry", arguments),) if name in _MAPS and len(arguments) > 1 else None
