"""Whoever resolves from a shared table states what its owner would."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline import languages
from sightline.graph.build.extract import extract
from sightline.graph.build.keys import given_keys
from sightline.graph.build.outcomes import Outcome, Outcomes
from sightline.graph.build.resolve import Resolver
from sightline.graph.build.shared import opened
from sightline.languages.encoding import decode

SAMPLES = sorted(path for path in Path("fixtures/languages").iterdir() if path.suffix != ".toml")
FILES = {
    "shop/__init__.py": "from .pay import pay\n",
    "shop/pay.py": "class Till:\n    def take(self): ...\n\ndef pay(till: Till):\n    till.take()\n",
    "shop/sell.py": "from shop import pay\n\ndef sell(till):\n    pay(till)\n",
    "use/\udcff.py": "import shop\n\ndef use():\n    shop.pay(None)\n",
    "c/pay.h": "int pay(int x);\n",
    "c/pay.c": '#include "pay.h"\nint pay(int x) { return x; }\n',
    "c/use.c": '#include "pay.h"\nint use(void) { return pay(1); }\n',
}


def _resolver(folder: Path | None) -> Resolver:
    resolver = Resolver(folder=folder)
    for path, text in FILES.items():
        parsed = languages.parse(path, languages.detect(path), text.encode())
        extracted = extract(parsed, languages.outline(parsed))
        assert resolver.prepare(path, extracted.facts, extracted.gives)
    return resolver


def test_a_shared_table_gives_what_the_table_itself_gives(tmp_path: Path) -> None:
    resolver, own = _resolver(tmp_path), _resolver(None)
    with resolver.shared(tmp_path) as shared:
        beside = Outcomes(opened(shared, 1_000), 1_000, 1_000, lambda: False)
    found = [beside.of(path) for path in FILES]  # the columns are gone by now, for whoever comes later
    assert found == list(own.outcomes(list(FILES)))
    calls = {(r.source_name, r.target_name) for each in found for r in each.relationships}
    assert {("sell", "pay"), ("pay", "Till.take"), ("use", "pay")} <= calls
    assert not list(tmp_path.glob("facts-*/*"))


def test_what_others_resolved_is_noted_like_what_was_resolved_here(tmp_path: Path) -> None:
    resolver, own = _resolver(tmp_path), _resolver(None)

    def resolve(paths: object) -> list[Outcome]:
        with resolver.shared(tmp_path) as shared:
            beside = Outcomes(opened(shared, 1_000), 1_000, 1_000, lambda: False)
            return [beside.of(path) for path in paths]  # type: ignore[attr-defined]

    everything = dict.fromkeys(FILES, b"")
    assert list(resolver.updates(everything, resolve)) == list(own.updates(everything))
    parsed = languages.parse("shop/pay.py", "python", b"def pay(): ...\n")
    changed = {"shop/pay.py": extract(parsed, languages.outline(parsed)).facts}
    assert resolver.update(changed) == own.update(changed), "who reads what is known alike"


def test_facts_in_memory_are_not_shared(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="in memory"), _resolver(None).shared(tmp_path):
        pass


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_the_keys_of_a_file_are_the_same_before_and_after_its_facts_are_written_down(sample: Path) -> None:
    language = languages.detect(sample.name)
    parsed = languages.parse(sample.name, language, sample.read_bytes())
    extracted = extract(parsed, languages.outline(parsed))
    assert extracted.gives == given_keys(decode(sample.name, extracted.facts))
