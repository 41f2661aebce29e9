"""The newest snapshot of a root, and what happens when its index cannot be read."""

from __future__ import annotations

import contextlib
import logging
import threading
from typing import TYPE_CHECKING

from sightline.config import Config
from sightline.errors import CorruptIndexError, FormatVersionError, StoreError
from sightline.server import heavy

if TYPE_CHECKING:
    from sightline.store import Snapshot, SnapshotFollower

READ_ATTEMPTS = 2  # the second with everything opened anew
_logger = logging.getLogger(__name__)


class Snapshots:
    """Follows the generations of one index."""

    def __init__(self, config: Config, name: str) -> None:
        self.unreadable: StoreError | None = None  # why there is no snapshot although there is an index
        self._config, self._name = config, name
        self._lock = threading.Lock()
        self._follower: SnapshotFollower | None = None

    def newest(self) -> Snapshot | None:
        """The newest snapshot, None when nothing is indexed yet or what there is cannot be read."""
        follower = self._following()
        for _ in range(READ_ATTEMPTS):
            try:
                self.unreadable = None
                return follower.current()
            except (CorruptIndexError, FormatVersionError) as error:
                failure = error
                follower.forget()
        if isinstance(failure, CorruptIndexError):  # one of another format belongs to another version's writer
            self.report(failure)
        self.unreadable = failure
        return None

    def forget(self) -> None:
        """Open everything anew the next time."""
        self._following().forget()

    def let_go(self) -> None:
        """Hold nothing any more."""
        with self._lock:
            self._follower = None

    def report(self, error: CorruptIndexError) -> None:
        """Tell whoever writes the index that it cannot be read: it is rebuilt, and until then there is nothing."""
        _logger.info("%s: %s", self._name, error)
        with contextlib.suppress(OSError):  # a read-only index stays as it is
            heavy.store.report_damage(self._config.index_dir, error.message)

    def _following(self) -> SnapshotFollower:
        with self._lock:
            if self._follower is None:
                self._follower = heavy.store.SnapshotFollower(self._config.index_dir)
            return self._follower
