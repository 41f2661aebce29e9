"""A change of one file that a person has not seen yet: planned, shown as a diff, then written.

The write replaces the file atomically, keeps its permissions, and is refused when the file is no longer what the diff
was made from. A person's file that is a link (dot-file collections) is changed where it really lives; one of a project
is not written through a link: the project would decide which file that is.
"""

from __future__ import annotations

import difflib
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from sightline.errors import ConfigError
from sightline.server.install.clients import Client

_NEW_FILE_MODE = 0o644
_MAX_BYTES = 10_000_000


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one file that has not been made yet. `after` None: the file goes."""

    client: Client
    path: Path
    before: str | None  # None: there is no such file yet
    after: str | None
    project: Path | None = None  # whose file it is, None for a person's
    ours: Path | None = None  # a folder of ours: it and those in it go when nothing is left in them

    @property
    def changes(self) -> bool:
        """Whether there is anything to do."""
        return self.before != self.after

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        name = str(self.path)
        return "".join(
            difflib.unified_diff(
                (self.before or "").splitlines(keepends=True),
                (self.after or "").splitlines(keepends=True),
                fromfile=name if self.before is not None else "/dev/null",
                tofile=name if self.after is not None else "/dev/null",
            )
        )

    def apply(self) -> None:
        """Write the file, or remove it when nothing of it is left; ConfigError when it changed since it was read."""
        if self.project is not None:
            check_no_link(self.project, self.path)
        if read_text(self.path) != self.before:
            raise ConfigError(f"{self.path} has changed meanwhile", hint="nothing was changed; run it again")
        target = self.path.resolve()
        if self.after is None:
            target.unlink(missing_ok=True)
            self._prune()
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = target.stat().st_mode & 0o777 if target.exists() else _NEW_FILE_MODE
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(self.after)
            Path(temporary).chmod(mode)
            Path(temporary).replace(target)
        except OSError:
            Path(temporary).unlink(missing_ok=True)
            raise

    def _prune(self) -> None:
        folder = self.path.parent
        while self.ours is not None and folder.is_relative_to(self.ours):
            try:
                folder.rmdir()
            except OSError:
                return  # something is left in it, and that is not ours
            folder = folder.parent


def check_no_link(project: Path, path: Path) -> None:
    """Refuse a path of a project that leads through a link: the project would decide which file is written."""
    for part in (path, *path.parents):
        if part == project:
            return
        if part.is_symlink():
            raise ConfigError(
                f"{part} is a link, and what it leads to was chosen by the project",
                hint="replace it by a file or folder of its own, or use --scope user",
            )


def read_text(path: Path) -> str | None:
    """The text of a file, None when there is none; a pipe or device is not waited for."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_BYTES:
                raise ConfigError(
                    f"{path} is not a settings file, nor a text of a sensible size", hint="nothing was changed"
                )
            return file.read(_MAX_BYTES).decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read {path}: {error}", hint="nothing was changed") from error
