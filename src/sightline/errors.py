"""Everything Sightline raises on purpose.

SightlineError
├── RootError            the folder to index is missing, not a folder, unreadable or refused
├── ConfigError          a setting or argument has an impossible value
├── QueryError           a query argument is out of bounds (never the query text itself: any string is legal)
├── EmbedderError        the embedder cannot be loaded or run
└── StoreError           the index cannot be read or written
    ├── CorruptIndexError    files of the index are damaged or missing: rebuild
    ├── FormatVersionError   the index was written by another version or embedder: rebuild
    ├── BundleError          a published index cannot be written, or is not one that can be used here
    └── WriterBusyError      another process holds the writer lock

Messages are written for the person or agent who reads them: what was wrong, with which value, what to do next.
"""


class SightlineError(Exception):
    """Base of all errors raised on purpose; `hint` says what to do next."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class RootError(SightlineError):
    """The folder to index is missing, not a folder, unreadable or refused."""


class ConfigError(SightlineError):
    """A setting or argument has an impossible value."""


class QueryError(SightlineError):
    """A query argument is out of bounds."""


class EmbedderError(SightlineError):
    """The embedder cannot be loaded or run."""


class StoreError(SightlineError):
    """The index cannot be read or written."""


class CorruptIndexError(StoreError):
    """Files of the index are damaged or missing."""


class FormatVersionError(StoreError):
    """The index was written by another version of Sightline or with another embedder."""


class BundleError(StoreError):
    """A published index is missing, damaged or of another kind, or cannot be written."""


class WriterBusyError(StoreError):
    """Another process holds the writer lock."""
