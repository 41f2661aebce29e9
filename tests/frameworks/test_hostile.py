"""A file that nobody wrote by hand is given up instead of being read for minutes."""

from __future__ import annotations

import pytest

from sightline.frameworks.joining import routes_of
from sightline.frameworks.model import Opened
from sightline.frameworks.notes import Notes
from sightline.frameworks.places import Places
from sightline.frameworks.rules import ALL

TEXTS = {
    "urls.py": ("python", "from django.urls import path\n", 'path("x/", include(['),
    "cats.ts": ("typescript", "import { Controller } from '@nestjs/common';\n", "@Get("),
    "app.js": ("javascript", "const express = require('express');\n", 'router.route("/x").get('),
    "config/routes.rb": ("ruby", "X.routes.draw do\n", "resources :a do\n"),
    "routes/web.php": ("php", "<?php Route::get(\n", "\n"),
}


@pytest.mark.timeout(60)  # read in full, each would take hours
@pytest.mark.parametrize("path", TEXTS)
def test_a_text_without_an_end_is_given_up(path: str) -> None:
    language, head, repeated = TEXTS[path]
    text = head + repeated * (100_000 // len(repeated))
    known = {rules.key: [path] for rules in ALL if language in rules.languages}
    found = routes_of(Places({path: language}), {path: Opened(lambda: text, Notes())}.get, known)
    assert {route.path for route in found} <= {path}
