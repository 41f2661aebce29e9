"""Names that Dart brings along."""

from __future__ import annotations

from sightline.languages.kotlin.library import COMMON_MEMBERS as KOTLIN_MEMBERS
from sightline.languages.library import words

BUILTINS = words("print assert identical List Map Set String int double bool Future Stream Duration DateTime")
COMMON_MEMBERS = KOTLIN_MEMBERS | words(
    """
    addListener asMap complete containsKey contains elementAt every expand fillRange firstWhere fold followedBy
    forEach getRange indexWhere insertAll lastWhere noSuchMethod padLeft padRight putIfAbsent removeLast removeRange
    removeWhere replaceAll replaceAllMapped setAll setState singleWhere skipWhile sublist takeWhile toIso8601String
    toJson toLowerCase toSet toUpperCase transform trimLeft trimRight updateAll where whereType
    """
)
