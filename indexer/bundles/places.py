"""Where bundles are kept: a folder, a web server to read from, or an object store by way of `obstore`.

A place holds named bytes. Writing is all or nothing: whoever reads sees a whole file or none, also after a kill.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from sightline.errors import BundleError, ConfigError

_TIMEOUT_S = 60.0
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_AGENT = "sightline"


class Place(Protocol):
    """Named bytes."""

    address: str

    def read(self, name: str, max_bytes: int) -> bytes | None:
        """The bytes of a name, None when there is nothing; BundleError when there are too many, or on failure."""

    def has(self, name: str) -> bool:
        """Whether there is something of this name."""

    def write(self, name: str, data: bytes) -> None:
        """Put bytes there, whole or not at all."""

    def names(self, folder: str) -> list[str]:
        """The names directly below a folder, without it."""


def open_place(address: str) -> Place:
    """The place of an address: a folder's path, https://…, or what `obstore` speaks (s3://, gs://, az://)."""
    scheme = address.partition("://")[0] if "://" in address else ""
    if scheme in ("", "file"):
        return Folder(Path(address.removeprefix("file://")).expanduser())
    if scheme in ("http", "https"):
        return Web(address)
    return _object_store(address, scheme)


class Folder:
    """A folder of this machine, or one that is mounted."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.address = folder, str(folder)

    def read(self, name: str, max_bytes: int) -> bytes | None:
        try:
            with (self._folder / name).open("rb") as file:
                return _bounded(file.read(max_bytes + 1), name, max_bytes)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise BundleError(f"{name} in {self.address} cannot be read: {error.strerror or error}") from error

    def has(self, name: str) -> bool:
        return (self._folder / name).is_file()

    def write(self, name: str, data: bytes) -> None:
        target = self._folder / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".part-")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                Path(temporary).replace(target)
            except BaseException:
                with contextlib.suppress(OSError):
                    Path(temporary).unlink()
                raise
        except OSError as error:
            raise BundleError(f"{name} cannot be written to {self.address}: {error.strerror or error}") from error

    def names(self, folder: str) -> list[str]:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            return sorted(path.name for path in (self._folder / folder).iterdir() if not path.name.startswith("."))
        return []


class _SameOrSafer(urllib.request.HTTPRedirectHandler):
    """Follows no redirection from https to anything else."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        if req.type == "https" and not newurl.startswith("https://"):
            raise BundleError(f"{req.host} sends its readers to {newurl[:200]!r}, which is not https")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class Web:
    """A web server that is read from. Without encryption only on this very machine."""

    def __init__(self, address: str) -> None:
        parts = urllib.parse.urlsplit(address)
        if parts.scheme != "https" and parts.hostname not in _LOOPBACK:
            raise ConfigError(f"{address} is not encrypted", hint="use https://")
        self.address = address.rstrip("/")
        self._opener = urllib.request.build_opener(_SameOrSafer)

    def read(self, name: str, max_bytes: int) -> bytes | None:
        request = urllib.request.Request(f"{self.address}/{urllib.parse.quote(name)}", headers={"User-Agent": _AGENT})
        try:
            with self._opener.open(request, timeout=_TIMEOUT_S) as answer:
                return _bounded(answer.read(max_bytes + 1), name, max_bytes)
        except urllib.error.HTTPError as error:
            if error.code in (403, 404, 410):
                return None
            raise BundleError(f"{self.address} answers {error.code} for {name}") from error
        except (OSError, ValueError) as error:
            raise BundleError(f"{self.address} cannot be reached: {getattr(error, 'reason', error)}") from error

    def has(self, name: str) -> bool:
        raise BundleError(f"{self.address} can only be read", hint="publish to a folder or to s3://")

    def write(self, name: str, data: bytes) -> None:
        raise BundleError(f"{self.address} can only be read", hint="publish to a folder or to s3://")

    def names(self, folder: str) -> list[str]:
        raise BundleError(f"{self.address} cannot be listed")


class ObjectStore:
    """An object store, with the credentials of the usual environment (AWS_…, and what else `obstore` reads)."""

    def __init__(self, address: str, obstore: Any, store: Any) -> None:
        self.address, self._obstore, self._store = address, obstore, store
        self._failed: tuple[type[Exception], ...] = (obstore.exceptions.BaseError, OSError)

    def read(self, name: str, max_bytes: int) -> bytes | None:
        try:
            found = self._obstore.get(self._store, name)
            if found.meta["size"] > max_bytes:
                raise BundleError(f"{name} in {self.address} has more than {max_bytes:,} bytes")
            return _bounded(bytes(found.bytes()), name, max_bytes)
        except FileNotFoundError:
            return None
        except self._failed as error:
            raise BundleError(f"{name} in {self.address} cannot be read: {_short(error)}") from error

    def has(self, name: str) -> bool:
        try:
            self._obstore.head(self._store, name)
        except FileNotFoundError:
            return False
        except self._failed as error:
            raise BundleError(f"{self.address} cannot be asked for {name}: {_short(error)}") from error
        return True

    def write(self, name: str, data: bytes) -> None:
        try:
            self._obstore.put(self._store, name, data)
        except self._failed as error:
            raise BundleError(f"{name} cannot be written to {self.address}: {_short(error)}") from error

    def names(self, folder: str) -> list[str]:
        try:
            listed: Mapping[str, Any] = self._obstore.list_with_delimiter(self._store, prefix=folder)
        except self._failed as error:
            raise BundleError(f"{self.address} cannot be listed: {_short(error)}") from error
        return sorted(entry["path"].rpartition("/")[2] for entry in listed["objects"])


def _object_store(address: str, scheme: str) -> ObjectStore:
    try:
        obstore = importlib.import_module("obstore")
        stores = importlib.import_module("obstore.store")
    except ImportError as error:
        raise ConfigError(f"{scheme}:// needs obstore", hint="pip install 'sightline[s3]'") from error
    options = {"allow_http": True} if os.environ.get("AWS_ALLOW_HTTP", "").lower() == "true" else None
    try:
        return ObjectStore(address, obstore, stores.from_url(address, client_options=options))
    except Exception as error:  # which ones it raises for an address it does not know is not documented
        raise ConfigError(f"{address} is no address of an object store: {error}") from error


def _short(error: Exception) -> str:
    """What an object store says went wrong, without the pages of detail below it."""
    return str(error).strip().partition("\n")[0][:300]


def _bounded(data: bytes, name: str, max_bytes: int) -> bytes:
    if len(data) > max_bytes:
        raise BundleError(f"{name} has more than {max_bytes:,} bytes")
    return data
