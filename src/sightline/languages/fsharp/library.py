"""Names that F# brings along."""

from __future__ import annotations

from sightline.languages.library import EVERYWHERE, words

BUILTINS = words(
    """
    abs async box ceil compare defaultArg dict exp failwith failwithf floor fst hash id ignore incr int invalidArg
    invalidOp isNull lazy log max min nameof not nullArg pown printf printfn raise ref reraise round seq set sign sin
    snd sprintf sqrt string task truncate typeof unbox using float decimal byte char uint64 int64 Some None Ok Error
    """
)
COMMON_MEMBERS = EVERYWHERE | words(
    "iter mapi fold choose bind return ToString Equals GetHashCode Dispose Add Contains"
)
