"""What LanceDB and tantivy throw becomes one named error here.

A panic of their Rust code reaches Python as a BaseException, which passes every `except Exception` on its way out: a
call would never be answered, a thread would end without a word.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from sightline.errors import CorruptIndexError, SightlineError

logger = logging.getLogger(__name__)

ENGINE_ERRORS = (OSError, ValueError, KeyError, RuntimeError, pa.ArrowException)
_PANIC = "PanicException"  # every Rust extension has a class of its own by this name


def is_panic(error: BaseException) -> bool:
    """Whether Rust code panicked."""
    return type(error).__name__ == _PANIC


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Read a part of the index: whatever the engines throw means that it is damaged."""
    try:
        yield
    except SightlineError:
        raise
    except BaseException as error:
        if not isinstance(error, ENGINE_ERRORS) and not is_panic(error):
            raise
        logger.debug("%s cannot be read", what, exc_info=True)  # in the engines' words
        raise CorruptIndexError(f"{what} cannot be read", hint="the index is built anew") from error
