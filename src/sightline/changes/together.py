"""Files that change together: how often, and how often not.

Commits that touch many files say nothing about two of them, and are left out; so are files that are gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from sightline.changes.history import History
from sightline.changes.model import Companion

BULK_FILES = 30  # a commit that touches more is a release, a reformatting or a merge in disguise
MIN_SUPPORT = 3  # commits; fewer are chance
MIN_CONFIDENCE = 0.2
_SMOOTHING = 2.0  # commits without the companion that are taken for granted: 3 of 3 is less sure than 30 of 30


@dataclass(frozen=True, slots=True)
class Together:
    """One pair, seen from `path`."""

    other: str
    support: int
    commits: int  # that touched `path`

    @property
    def confidence(self) -> float:
        """The share of the commits of `path` that touched the other too."""
        return self.support / self.commits if self.commits else 0.0

    @property
    def likelihood(self) -> float:
        """The same, less sure where there are few commits."""
        return self.support / (self.commits + _SMOOTHING)


def changes_with(history: History, paths: Iterable[str]) -> dict[str, list[Together]]:
    """For each path the files that changed together with it, most often first."""
    numbers = {path: number for number, path in enumerate(history.paths)}
    wanted = {numbers[path]: path for path in paths if path in numbers}
    totals: Counter[int] = Counter()
    pairs: dict[int, Counter[int]] = {number: Counter() for number in wanted}
    for commit in history.commits:
        if not 0 < len(commit.files) <= BULK_FILES:
            continue
        for number in commit.files:
            if number in pairs:
                totals[number] += 1
                pairs[number].update(other for other in commit.files if other != number)
    return {
        path: [
            Together(history.paths[other], support, totals[number]) for other, support in pairs[number].most_common()
        ]
        for number, path in wanted.items()
    }


def companions(
    history: History, changed: Collection[str], existing: Collection[str], connected: Mapping[str, float]
) -> list[Companion]:
    """Files that usually change with the changed ones and did not, the likeliest first.

    `connected` says how much files have to do with the changed ones otherwise; it orders, and names none by itself.
    """
    best: dict[str, Companion] = {}
    scores: dict[str, float] = {}
    for path, found in changes_with(history, changed).items():
        for pair in found:
            if pair.support < MIN_SUPPORT or pair.confidence < MIN_CONFIDENCE:
                continue
            if pair.other in changed or pair.other not in existing:
                continue
            scores[pair.other] = 1.0 - (1.0 - scores.get(pair.other, 0.0)) * (1.0 - pair.likelihood)
            known = best.get(pair.other)
            if known is None or pair.confidence > known.confidence:
                best[pair.other] = Companion(pair.other, path, pair.support, pair.confidence)
    for path in scores:
        scores[path] = 1.0 - (1.0 - scores[path]) * (1.0 - connected.get(path, 0.0))
    return sorted(best.values(), key=lambda c: (-scores[c.path], c.path))
