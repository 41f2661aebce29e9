"""Whether a folder may be a root. Light on purpose: a server checks its roots before anything heavy is imported."""

from __future__ import annotations

import os
from pathlib import Path

from sightline.errors import RootError


def check_root(path: str | Path, *, allow: bool = False) -> Path:
    """Return the resolved folder to index, or raise RootError; `allow` lets $HOME and / pass."""
    try:
        root = Path(path).expanduser()
    except RuntimeError as error:
        raise RootError(f"{path} names a home folder that is not known", hint="give the full path") from error
    if not root.exists():
        raise RootError(f"{root} does not exist", hint="give the path of a folder")
    root = root.resolve()
    if not root.is_dir():
        raise RootError(f"{root} is a file", hint=f"give the folder it is in: {root.parent}")
    if not os.access(root, os.R_OK | os.X_OK):
        raise RootError(f"{root} cannot be read", hint="check its permissions")
    if not allow and root in (Path(root.anchor), *_homes()):
        raise RootError(
            f"{root} is refused: it is not a project but everything you have",
            hint="give a project's folder, or --allow-any-root if you mean it",
        )
    return root


def _homes() -> tuple[Path, ...]:
    """The home folder and the folder of all homes; none for a user that has none."""
    try:
        home = Path.home().resolve()
    except RuntimeError:
        return ()
    return home, home.parent
