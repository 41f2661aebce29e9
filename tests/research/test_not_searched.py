"""The check by text never claims more than it looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import pytest

from sightline.embed import Embedder
from sightline.retrieval.research import research
from sightline.retrieval.research.occurrences import Content, Text
from sightline.store import Snapshot
from sightline.types import NOT_SEARCHED

FILES = {
    "shop.py": "def total(cart):\n    return len(cart)\n\n\ndef lonely():\n    return 1\n",
    "use.py": "from shop import total\n\n\ndef show(cart):\n    return total(cart)\n",
}
Build = Callable[[Mapping[str, str]], Snapshot]


class OneTooLarge:
    """The texts of a root with a file that is too large to be searched."""

    def contents(self, paths: Sequence[str]) -> Iterator[Content]:
        return (Content(path, FILES[path]) for path in paths)

    def indexed(self, paths: Sequence[str]) -> Iterator[Text]:
        return (Text(path, FILES[path].encode()) for path in paths)

    def left_out(self, name: str) -> Iterator[Text]:
        yield Text("data.sql", b"", NOT_SEARCHED)


@pytest.mark.parametrize("name", ["lonely", "absent_name", "total"])
def test_what_was_not_searched_is_never_said_to_be_accounted_for(build: Build, embedder: Embedder, name: str) -> None:
    result = research(build(FILES), f"what calls `{name}`?", embedder=embedder, texts=OneTooLarge())
    said = "\n".join(line for section in result.sections for line in section.lines if line.startswith("`"))
    assert "1 file not searched" in said
    assert "all " not in said
