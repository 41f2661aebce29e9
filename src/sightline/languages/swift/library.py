"""Names that Swift brings along."""

from __future__ import annotations

from sightline.languages.library import EVERYWHERE, words

COMMON_MEMBERS = EVERYWHERE | words(
    """
    absoluteString advanced allSatisfy appending appendingPathComponent async asyncAfter assign base64EncodedString
    cancel compactMap components contains dataTask date decode deletingLastPathComponent distance dropFirst dropLast
    encode enter fileExists firstIndex flatMap formUnion fulfill hasPrefix hasSuffix hash index insert intersection
    invalidate joined leave lowercased makeIterator mapError mapValues max min notify perform popLast prefix
    randomElement receive reduce removeAll removeFirst removeLast removeValue replaceSubrange replacingOccurrences
    reserveCapacity resume reversed setValue signal sink sorted starts store string subscribe subtracting suffix
    suspend swapAt symmetricDifference sync trimmingCharacters union uppercased wait withCheckedContinuation
    withLock withUnsafeBytes write addSubview addOperation dismiss present reloadData setTitle init evaluate
    """
)
