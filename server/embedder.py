"""The embedder of a root: loaded once, waited for while somebody else loads it, and done without when there is none."""

from __future__ import annotations

import threading
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING

from sightline.errors import EmbedderError
from sightline.server import heavy
from sightline.server.lifecycle import EMBEDDER_WAIT_S

if TYPE_CHECKING:
    from sightline.embed import Embedder
    from sightline.store import Snapshot


class RootEmbedder:
    """Loads the embedder of a root when it is first needed; without one, search goes on by words and says so."""

    def __init__(self, name: str) -> None:
        self.error = ""  # why there is none
        self._name = name
        self._lock = threading.Lock()  # never held while it is loaded
        self._loading: Future[Embedder | None] | None = None
        self._loaded: Embedder | None = None

    def get(self) -> Embedder | None:
        """The embedder, however long it takes to load."""
        with self._lock:
            loading = self._loading
            ours = loading is None
            if loading is None:
                loading = self._loading = Future()
        if ours:
            self._load(loading)
        return loading.result()

    def start_loading(self) -> None:
        """Load it in the background."""
        threading.Thread(target=self.get, name="sightline-embedder", daemon=True).start()

    def fitting(self, snapshot: Snapshot) -> Embedder | None:
        """The embedder, if its vectors are those of the snapshot. One that somebody else is loading is waited for only
        for a moment: the answer goes by words then, and `warnings` says so."""
        loading = self._loading
        if loading is not None and not wait([loading], EMBEDDER_WAIT_S).done:
            return None
        embedder = self.get()
        return embedder if embedder is not None and embedder.id == snapshot.embedder_id else None

    def warnings(self) -> list[str]:
        """Why an answer may have been found by words alone."""
        if self.error:
            return [f"no semantic search: {self.error}"]
        if self._loading is not None and not self._loading.done():
            return ["no semantic search yet: the embedder is still being loaded"]
        return []

    def mismatch(self, snapshot: Snapshot) -> list[str]:
        """The same, when the index was made with another embedder."""
        if self._loaded is None or snapshot.embedder_id == self._loaded.id:
            return []
        return [f"no semantic search: the index was made with the embedder {snapshot.embedder_id}"]

    def _load(self, loading: Future[Embedder | None]) -> None:
        try:
            self._loaded = heavy.embed.load_embedder(self._name) if self._name != "none" else None
            loading.set_result(self._loaded)
        except EmbedderError as error:
            self.error = str(error)
            loading.set_result(None)
        except BaseException as error:
            self._loading = None  # whoever needs it next tries again
            loading.set_exception(error)
            raise
