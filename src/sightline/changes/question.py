"""Questions about changes and history, by their phrasing: "what do my changes break", "when did X change".

Anything else is left to the questions about code: a name that is no symbol, a phrase that only sounds alike.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from sightline.changes.asked import Asked
from sightline.changes.repository import Repository

MAX_CHARS = 300
_MINE = (
    r"(?:my|our|the|this|these|those|current|uncommitted|unstaged|staged|local|pending|working|latest|open)"
    r"(?: (?:current|uncommitted|unstaged|staged|local|pending|working|latest|open|own|code))*"
    r" (?P<what>changes?|diffs?|edits?|work(?:ing)?[ -]?(?:tree|copy)|work|branch|pr|pull request|merge request|patch"
    r"|modifications?)"
)
_CHANGES = [
    rf"what (?:do(?:es)?|did|will|would|could|might|is|are) {_MINE} "
    r"(?:affect|break|touch|reach|impact|influence|change|affecting|breaking|touching)",
    rf"(?:what|which)(?: \w+)? (?:is|are|gets?|breaks?|could break|might break|depends?)[\w ]{{0,30}}? "
    rf"(?:by|with|because of|due to|on) {_MINE}",
    rf"(?:what is |what's |show )?(?:the )?(?:impact|blast radius|effect|reach)s? of {_MINE}",
    rf"(?:please )?(?:review|summari[sz]e|check|describe|explain|analy[sz]e) {_MINE}",
    r"(?:which|what) tests? (?:should|must|do|can|shall) (?:i|we) (?:re-?)?run(?: now| next)?"
    rf"(?: for {_MINE}|\W*$)",
    rf"(?:which|what|list the|show the)? ?tests? to (?:re-?)?run(?: for {_MINE})?",
    rf"(?:which|what) tests? (?:cover|exercise|reach|are affected by|run|test) {_MINE}",
    r"what (?:have|did) (?:i|we) changed?",
    r"what (?:has )?changed(?= (?:since|against|from|between|in|compared)|\W*$)",
]
_CHANGED = re.compile(rf"^\W*(?:{'|'.join(f'(?:{p})' for p in _CHANGES)})".replace("(?P<what>", "(?:"), re.IGNORECASE)
_BASE = re.compile(
    r"\b(?:against|since|compared (?:to|with)|relative to|from|vs\.?|onto|into)\s+(?:branch |commit |tag )?"
    r"[`\"']?(?P<ref>[\w./~^@-]*\w)[`\"']?",
    re.IGNORECASE,
)
_RANGE = re.compile(r"[`\"']?(?P<range>[\w./~^@-]+\.\.\.?[\w./~^@-]+)[`\"']?")
_BETWEEN = re.compile(r"\bbetween [`\"']?(?P<a>[\w./~^@-]*\w)[`\"']? and [`\"']?(?P<b>[\w./~^@-]*\w)", re.IGNORECASE)
_STAGED = re.compile(r"\bstaged\b", re.IGNORECASE)
_BRANCH = re.compile(r"\b(?:branch|pr|pull request|merge request)\b", re.IGNORECASE)

_X = r"(?:the )?(?:(?:function|method|class|file|symbol|constant|module) )?[`\"']?(?P<x>[\w./:#-]*\w(?:\(\))?)[`\"']?"
_HISTORY = [
    rf"why (?:is|was|does|did|do we have) {_X}"
    r" (?:here|there|added|exist|introduced|changed|written|like (?:this|that))",
    rf"when (?:did|was|were|has) {_X}(?: (?:last|first|been|most recently))*"
    r" (?:changed?|added|introduced|modified|touched|created|appear|edited|removed|updated)",
    r"(?:what|which|list the|show the)? ?commits? (?:that |which )?"
    rf"(?:touch(?:ed)?|changed?|introduced|added|modified) {_X}",
    rf"(?:what is |show |show me )?(?:the )?(?:git |commit |change )?history of {_X}",
    rf"how (?:has|did) {_X} (?:changed?|evolved?)(?: over time)?",
]
_TOGETHER = [
    rf"what (?:else )?(?:usually |often |normally |typically )?changes? (?:together |along )?with {_X}",
    rf"(?:which|what) files (?:usually |often |normally |typically )?changes? (?:together |along )?with {_X}",
]
_OF_PAST = re.compile(rf"^\W*(?:{'|'.join(_HISTORY)})\W*$".replace("(?P<x>", "("), re.IGNORECASE)
_OF_PAIRS = re.compile(rf"^\W*(?:{'|'.join(_TOGETHER)})\W*$".replace("(?P<x>", "("), re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AboutPast:
    """A question about the history of a symbol or file."""

    kind: Literal["commits", "together"]
    name: str


@dataclass(frozen=True, slots=True)
class AboutChanges:
    """A question about changes; what is compared is settled when the repository is known."""

    asked: Asked
    branch: bool  # a whole branch is meant, and no base was named


def read(question: str) -> AboutChanges | AboutPast | None:
    """What is asked; None when it is neither about changes nor about history."""
    text = " ".join(question.split())
    if not text or len(text) > MAX_CHARS:
        return None
    for pattern, kind in ((_OF_PAST, "commits"), (_OF_PAIRS, "together")):
        match = pattern.match(text)
        if match is not None:
            name = next(group for group in match.groups() if group)
            return AboutPast("commits" if kind == "commits" else "together", name.removesuffix("()"))
    if _CHANGED.match(text) is None:
        return None
    if (between := _BETWEEN.search(text)) is not None:
        return AboutChanges(Asked(commits=f"{between['a']}..{between['b']}"), False)
    if (commits := _RANGE.search(text)) is not None:
        return AboutChanges(Asked(commits=commits["range"]), False)
    if (base := _BASE.search(text)) is not None:
        return AboutChanges(Asked(base=base["ref"]), False)
    return AboutChanges(Asked(staged=_STAGED.search(text) is not None), _BRANCH.search(text) is not None)


def settled(about: AboutChanges, repository: Repository) -> Asked:
    """What to compare: a branch is compared with the one it most likely left."""
    if not about.branch:
        return about.asked
    current = repository.branch()
    names = [repository.tell("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"), "main", "master"]
    for name in names:
        if name and name != current and repository.commit(name, missing=""):
            return Asked(base=name)
    return about.asked
