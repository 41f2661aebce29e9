"""What is known of each framework: the `.toml` files of this folder, read once."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any

from sightline.frameworks.model import ClassRule, InjectionRule, MountRule, RouterRule, RouteRule, Rules, TableRule


def _rules(key: str, data: dict[str, Any]) -> Rules:
    """One file; a field that the type does not have is a mistake in the file and raises."""

    def several(kind: type[Any], key: str) -> tuple[Any, ...]:
        return tuple(
            kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()})
            for entry in data.pop(key, ())
        )

    given: dict[str, Any] = {
        "key": key,
        "routers": several(RouterRule, "routers"),
        "mounts": several(MountRule, "mounts"),
        "routes": several(RouteRule, "routes"),
        "injections": several(InjectionRule, "injections"),
        "tables": several(TableRule, "tables"),
        "controllers": ClassRule(**data.pop("controllers", {})),
        "languages": frozenset(data.pop("languages")),
    }
    rest: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
    return Rules(**given, **rest)


def _load() -> tuple[Rules, ...]:
    files = sorted((f for f in resources.files(__name__).iterdir() if f.name.endswith(".toml")), key=lambda f: f.name)
    return tuple(_rules(file.name.removesuffix(".toml"), tomllib.loads(file.read_text("utf-8"))) for file in files)


ALL = _load()
