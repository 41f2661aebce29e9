"""Names that Zig brings along."""

from __future__ import annotations

from sightline.languages.library import EVERYWHERE, words

COMMON_MEMBERS = EVERYWHERE | words(
    """
    alloc allocPrint append appendAssumeCapacity appendSlice clearRetainingCapacity create deinit destroy dupe
    ensureTotalCapacity ensureUnusedCapacity eql free getOrPut getPtr initCapacity iterator orderedRemove ptr put
    putAssumeCapacity putNoClobber readAll reader realloc resize swapRemove toOwnedSlice writeAll writeByte writer
    """
)
