"""What people type: the examples below a command's help. A test parses each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

EXAMPLES: Mapping[str, Sequence[str]] = {
    "search": (
        'sightline search "remove expired sessions"',
        'sightline search SessionStore --file-filter "src/**" --limit 5',
        'sightline search "retry with backoff" ../other --filters language=go --json',
    ),
    "symbol": (
        "sightline symbol AuthService",
        "sightline symbol AuthService.login --kind method",
    ),
    "expand": (
        "sightline expand AuthService.login --direction in --depth 2",
        "sightline expand src/auth.py:120 --relationship-types calls",
    ),
    "research": (
        'sightline research "what calls validate_credentials?"',
        'sightline research "what breaks if I change SessionStore.close?" --depth 3',
    ),
    "index": (
        "sightline index",
        "sightline index ~/code/shop ~/code/api",
        "sightline index --rebuild",
    ),
    "status": (
        "sightline status",
        "sightline status --watch",
        "sightline status --files --json",
    ),
    "changes": (
        "sightline changes",
        "sightline changes --base main --format markdown",
        "sightline changes --staged --tests",
    ),
    "stats": ("sightline stats", "sightline stats --days 7 --json"),
    "clear": ("sightline clear ~/code/shop",),
    "serve": (
        "sightline serve",
        "sightline serve --transport http --port 8747 --token-file ~/.sightline-token",
        "sightline serve --catalog s3://indexes/all --transport http --tokens ~/.sightline-tokens",
    ),
    "ui": (
        "sightline ui",
        "sightline ui ~/code/shop ~/code/api",
        "sightline ui --no-open --port 8750 --token-file ~/.sightline-token",
    ),
    "watch": ("sightline watch ~/code/shop",),
    "publish": ("sightline publish --to s3://builds/sightline",),
    "pull": (
        "sightline pull --from https://builds.example.com/sightline",
        "sightline pull --yes",
    ),
    "fleet": (
        "sightline fleet index repositories.txt --to s3://indexes/all",
        "sightline fleet index repositories.txt --to /srv/indexes --workers 4 --json",
        "sightline fleet index repositories.txt --to s3://indexes/all --address ray://cluster.example.org:10001",
    ),
    "export": (
        "sightline export --table objects -o objects.jsonl",
        "sightline export --format svg -o map.svg",
        "sightline export --format mermaid --start AuthService.login --depth 2",
    ),
    "install": (
        "sightline install claude-code",
        "sightline install cursor vscode --dry-run",
    ),
    "uninstall": ("sightline uninstall claude-code",),
}


def below(command: str) -> str:
    """The examples of a command as the end of its help; the mark keeps their lines."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in EXAMPLES[command])])
