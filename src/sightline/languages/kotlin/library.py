"""Names that Kotlin brings along."""

from __future__ import annotations

from sightline.languages.library import EVERYWHERE, words

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
