"""The files that a report is likely about: those of its hits, and those that come next in the list.

Where one file stands out, several of its functions come, so that ten hits are often of three or four files only. The
list knows which files follow, and an agent that is told their names need not ask for more hits to look there.
"""

from __future__ import annotations

from collections.abc import Iterable

from sightline.types import Hit, RankedFile

# Named at least, those of the pages before included. Of 407 issues asked with default arguments (docs/ISSUES.md), ten
# hits are of every file that is to be found in 330; the first five files of the list are all of them in 332, the first
# eight in 353, the first ten in 356. Each costs an answer about twelve tokens, most answers three to five of them.
FILES = 8


def of_hits(hits: Iterable[Hit]) -> list[RankedFile]:
    """The file of each hit."""
    return [RankedFile(hit.path, hit.score, hit.root, hit.stale) for hit in hits]


def named(hits: Iterable[RankedFile], offset: int, further: Iterable[RankedFile]) -> list[RankedFile]:
    """The files of a page that begins at `offset` of the hits so far, then `further` ones that none of these is of, as
    many as make `FILES` in all. No page names a file that an earlier page has hits of, unless it has some as well."""
    seen: set[tuple[str, str]] = set()
    page: dict[tuple[str, str], RankedFile] = {}
    for place, file in enumerate(hits):
        seen.add((file.root, file.path))
        if place >= offset:
            page.setdefault((file.root, file.path), file)
    for file in further if page else ():
        if len(seen) >= FILES:
            break
        if (file.root, file.path) not in seen:
            seen.add((file.root, file.path))
            page[file.root, file.path] = file
    return list(page.values())
