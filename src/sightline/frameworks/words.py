"""Words as frameworks bend them: `posts` → `post`, `UserPost` → `user_post`."""

from __future__ import annotations

import re

_IRREGULAR = {
    "people": "person",
    "men": "man",
    "children": "child",
    "news": "news",
    "series": "series",
    "media": "media",
}


def singular(word: str) -> str:
    """One of what a plural names."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith(("statuses", "aliases")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def plural(word: str) -> str:
    """Several of what a word names."""
    for several, one in _IRREGULAR.items():
        if word == one:
            return several
    if word != singular(word):
        return word
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh")) else "s")


def underscored(name: str) -> str:
    """`UserPost` → `user_post`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
