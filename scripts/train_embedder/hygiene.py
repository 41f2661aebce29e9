"""Keep the benchmark out of the training data, by content and by name.

By content: every line of the benchmark's checkouts that is long enough to be telling is remembered as a hash; a file
that shares many of them is left out whole, a definition that shares half of its own is left out alone. By name: the
names of well-known libraries that retrieval benchmarks are made of, as packages or as folders of vendored copies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import xxhash

_MIN_LINE_CHARS = 25  # shorter lines (`if err != nil {`) are common property
_FILE_SHARE = 0.25  # of a file's telling lines
_DEFINITION_SHARE = 0.5
_MIN_SHARED_LINES = 3
_MAX_FILE_BYTES = 1_000_000

# Repositories that retrieval benchmarks use, as folder or package names.
BENCHMARK_NAMES = frozenset(
    [
        "aiohttp",
        "fastapi",
        "flask",
        "httpx",
        "pydantic",
        "pydantic_core",
        "requests",
        "starlette",
        "click",
        "model2vec",
        "semble",
        "axios",
        "express",
        "redux",
        "gin",
        "cobra",
        "chi",
        "gson",
        "lang3",
        "databind",
        "guzzle",
        "guzzlehttp",
        "monolog",
        "laravel",
        "illuminate",
        "symfony",
        "sinatra",
        "rack",
        "rails",
        "railties",
        "actionpack",
        "activerecord",
        "activesupport",
        "activemodel",
        "activejob",
        "activestorage",
        "actionview",
        "actioncable",
        "actionmailer",
        "actiontext",
        "tokio",
        "tokio-util",
        "axum",
        "serde",
        "serde_derive",
        "serde_core",
        "serde_json",
        "trpc",
        "zod",
        "vitest",
        "alamofire",
        "vapor",
        "nlohmann",
        "phoenix",
        "phoenix_html",
        "phoenix_live_view",
        "plug",
        "ecto",
        "circe",
        "http4s",
        "cats",
        "cats-effect",
        "absl",
        "abseil",
        "fmt",
        "fmtlib",
        "spdlog-fmt",
        "curl",
        "libcurl",
        "redis",
        "hiredis",
        "libuv",
        "bats",
        "bats-core",
        "aeson",
        "pandoc",
        "xmonad",
        "zig",
        "zls",
        "ziglang",
        "ghostty",
        "ktor",
        "kotlinx",
        "kotlinx-coroutines",
        "exposed",
        "dapper",
        "newtonsoft",
        "newtonsoft.json",
        "messagepack",
        "lazy.nvim",
        "telescope",
        "telescope.nvim",
        "nvim-lspconfig",
        "nvm",
        "oh-my-zsh",
        "bash-it",
        "swift-nio",
        "rxswift",
        "snapkit",
        "kingfisher",
        "mediatr",
    ]
)
_JOINED = re.compile(
    r"cmcurl|cmlibuv|abseil|activerecord|activesupport|activemodel|actionpack|actionview|actioncable|actionmailer|railties|"
    r"alamofire|nlohmann|guzzle|monolog|illuminate|messagepack|kotlinx|databind|pydantic|fastapi|starlette|aiohttp|sinatra|"
    r"xmonad|pandoc|http4s|newtonsoft|telescope|swift-nio",
)


class Hygiene:
    """Answers whether a file or a definition comes from the benchmark."""

    def __init__(self, benchmark: Path | None) -> None:
        self._lines: set[int] = set()
        for path in sorted(benchmark.rglob("*")) if benchmark is not None else ():
            if path.is_file() and path.stat().st_size <= _MAX_FILE_BYTES:
                self._lines.update(_telling(path.read_text("utf-8", "replace").splitlines()))

    def __len__(self) -> int:
        return len(self._lines)

    def bans_path(self, path: str) -> bool:
        """Is a folder or the package on the way to this file named like a benchmark repository?"""
        lowered = path.lower()
        return not BENCHMARK_NAMES.isdisjoint(re.split(r"[/@]", lowered)) or _JOINED.search(lowered) is not None

    def bans_file(self, text: str) -> bool:
        return self._shared(text.splitlines(), _FILE_SHARE)

    def bans_definition(self, lines: Iterable[str]) -> bool:
        return self._shared(lines, _DEFINITION_SHARE)

    def _shared(self, lines: Iterable[str], share: float) -> bool:
        hashes = list(_telling(lines))
        hits = sum(h in self._lines for h in hashes)
        return hits >= _MIN_SHARED_LINES and hits >= share * len(hashes)


def _telling(lines: Iterable[str]) -> Iterable[int]:
    for line in lines:
        stripped = line.strip()
        if len(stripped) >= _MIN_LINE_CHARS:
            yield xxhash.xxh3_64_intdigest(stripped.encode())
