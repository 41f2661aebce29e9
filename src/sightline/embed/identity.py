"""By which id the built-in model is known in an index; told without numpy, so that comparing ids does not load it."""

from __future__ import annotations

import json
from pathlib import Path

from sightline.errors import EmbedderError

MODEL_DIR = Path(__file__).with_name("model")
_ARITHMETIC = "whole"  # part of the id, since other arithmetic means other vectors


def id_of(model_id: str) -> str:
    """The id of a model of ours."""
    return f"static:{model_id}-{_ARITHMETIC}"


def static_id(folder: Path = MODEL_DIR) -> str:
    """The id of the model in a folder; EmbedderError when it cannot be read."""
    try:
        return id_of(json.loads((folder / "model.json").read_text("utf-8"))["id"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EmbedderError(
            f"the static model in {folder} cannot be read: {error}", hint="reinstall sightline"
        ) from error
