"""All repositories of a catalog that somebody may see, as an `App`: the tools, MCP and the resources know no other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sightline.config import make_config
from sightline.errors import QueryError
from sightline.graph.read.walk import knows
from sightline.memory import MB
from sightline.server.app import App, check_embedder
from sightline.server.catalog.grants import EVERYTHING, Grant, is_pattern, matches
from sightline.server.catalog.root import PublishedRoot
from sightline.server.catalog.shelf import Shelf
from sightline.server.embedder import RootEmbedder
from sightline.server.progress import Call
from sightline.server.root import Root
from sightline.types import Query
from sightline.wire import API_VERSION, ApiVersion

MAX_NAMED = 20  # repositories that an error lists
ASKED_AT_ONCE = 3  # repositories that a question about structure is asked of, where none is named
_HELD_SHARE = 0.7  # of the memory: the rest is for the engines and for answers

INSTRUCTIONS = """\
Sightline has many repositories indexed, each at the commit that was published last: text, meaning and the graph of its
symbols. Hits are labelled [repository]; `root` takes the name of one or a pattern (`team/*`).
- search: find code by what it does, by words in it or by identifier. Answers with numbered source lines.
- symbol_search: a name is known, even partly or misspelt: where is it defined, what members does it have.
- expand_graph: who calls it, what it calls, who implements or inherits it, what tests it.
- code_research: a whole question about structure ("what breaks if I change X", "how does A reach B") in one call; name
  the repository in `root`, else the ones that fit best are asked.
Paths are relative to the repository, lines are those of the published commit: a checkout may differ. A relationship
marked "~ possible" is a guess; the others were resolved.\
"""


class CatalogApp(App):
    """What somebody with a grant sees of a catalog."""

    def __init__(
        self,
        shelf: Shelf,
        grant: Grant,
        embedder: RootEmbedder,
        *,
        embedder_name: str,
        api_version: ApiVersion = API_VERSION,
        structured: bool = False,
    ) -> None:
        super().__init__([], api_version=api_version, structured=structured)
        self.instructions = INSTRUCTIONS
        self._shelf, self._grant = shelf, grant
        self._embedder, self._embedder_name = embedder, embedder_name
        self._known: dict[str, Root] = {}

    @property
    def roots(self) -> Sequence[Root]:
        """The repositories that there are now."""
        return [self._root(name) for name in sorted(self._shelf.repositories(self._grant))]

    def seen_by(self, grant: Grant) -> CatalogApp:
        """The same catalog, as another one sees it; closed with this one."""
        view = CatalogApp(
            self._shelf,
            grant,
            self._embedder,
            embedder_name=self._embedder_name,
            api_version=self.api_version,
            structured=self.structured,
        )
        self.on_close(view.close)
        return view

    def described(self) -> str:
        """The catalog in a few words."""
        return f"{len(self.roots):,} repositories of {self._shelf.address}"

    def choose(self, root: str | None) -> list[Root]:
        """The repository of this name, those that a pattern means, or all; QueryError where these do not fit here."""
        known = self._shelf.repositories(self._grant)
        if not root:
            names = sorted(known)
        elif root in known:
            names = [root]
        else:
            names = sorted(name for name in known if matches(name, root)) if is_pattern(root) else []
        if not names:
            shown = ", ".join(sorted(known)[:MAX_NAMED]) or "none"
            more = f" and {len(known) - MAX_NAMED:,} more" if len(known) > MAX_NAMED else ""
            what = f"unknown root {root[:200]!r}" if root else "there is no repository here"
            raise QueryError(what, hint=f"known ones: {shown}{more}")
        size = sum(known[name].size for name in names)
        kept = self._shelf.disk_bytes
        if len(names) > 1 and size > kept:
            raise QueryError(
                f"these {len(names):,} repositories take {size // MB:,} MB, and only {kept // MB:,} are kept here",
                hint="name fewer of them in root, or serve with a larger --cache-mb",
            )
        return [self._root(name) for name in names]

    def label(self, root: Root) -> str:
        """Its name, however many there are: who asks has no folder to tell it from."""
        return root.name

    def narrowed(self, roots: Sequence[Root], question: str, call: Call) -> tuple[Sequence[Root], str]:
        """The few repositories that fit a question best, by what a search over them finds; and a word that it is so."""
        if len(roots) <= ASKED_AT_ONCE:
            return roots, ""
        call.step("looking for the repositories that fit")
        best: dict[str, float] = {}
        for root in roots:
            found = root.search(Query(question, limit=1), call=call)
            if found.hits:
                best[root.name] = found.hits[0].score
        chosen = sorted(best, key=lambda name: (-best[name], name))[:ASKED_AT_ONCE]
        word = f"asked of {len(chosen)} of {len(roots):,} repositories, those with the best hits; root names others"
        return [self._root(name) for name in chosen] or roots[:1], word

    def knowing(self, roots: Sequence[Root], name: str) -> Sequence[Root]:
        """The repositories that have this very name; all where none does: guessing is for names that are not there."""
        if len(roots) == 1:
            return roots
        return [root for root in roots if (there := root.snapshot()) is not None and knows(there, name)] or roots

    def files_named(self, path: str) -> list[tuple[Root, str]]:
        """A path that begins with the name of a repository."""
        known = self._shelf.repositories(self._grant)
        parts = path.split("/")
        ways = ("/".join(parts[:count]) for count in range(len(parts) - 1, 0, -1))
        return [(self._root(name), path[len(name) + 1 :]) for name in ways if name in known][:1]

    def wait_answerable(self, root: str | None, call: Call) -> None:
        """Fetch what is asked of and not here yet."""
        self._embedder.get()
        self._shelf.bring([each.name for each in self.choose(root)], self._grant, call.step)

    def progress(self) -> tuple[int, int, str]:
        """Nothing is indexed here."""
        return 0, 0, "fetching"

    def warm_soon(self, *, later: bool = False) -> None:
        """Have the model loaded; what is fetched, the questions decide."""
        self._embedder.start_loading()

    def close(self) -> None:
        """Let go of everything; safe to call twice."""
        self.life.close()
        self._shelf.let_go()

    def status(self) -> Mapping[str, Any]:
        """Everything `sightline://status` shows."""
        return {"api_version": self.api_version, "roots": [root.collected() for root in self.roots]}

    def _root(self, name: str) -> Root:
        found = self._known.get(name)
        if found is None:
            config = make_config(self._shelf.nowhere / name, embedder=self._embedder_name)
            found = self._known[name] = PublishedRoot(name, self._shelf, self._grant, config, self._embedder)
        return found


def open_catalog(
    address: str,
    folder: Path,
    *,
    embedder: str,
    disk_mb: int,
    memory_mb: int,
    api_version: ApiVersion = API_VERSION,
    structured: bool = False,
) -> CatalogApp:
    """A catalog as one who may see all of it does; BundleError when there is none."""
    check_embedder(embedder)
    held = int(memory_mb * MB * _HELD_SHARE)
    shelf = Shelf(address, folder, disk_bytes=disk_mb * MB, held_bytes=held)
    shelf.open()
    return CatalogApp(
        shelf,
        EVERYTHING,
        RootEmbedder(embedder),
        embedder_name=embedder,
        api_version=api_version,
        structured=structured,
    )
