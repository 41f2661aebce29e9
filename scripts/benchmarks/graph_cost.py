"""What the graph costs beside the rest of the analysis: extraction against parsing and chunking, in one process.

The resolver runs once over all files; the pipeline pays it once at the end of a bulk update.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from sightline import languages
from sightline.config import make_config
from sightline.graph.build.extract import extract
from sightline.graph.build.resolve import Resolver
from sightline.indexer.analysis.chunk import chunk
from sightline.indexer.files.walk import walk

HEAD_BYTES = 4096


def report(repos: Path, only: Sequence[str]) -> None:
    """Print seconds of processor time per step and the ratio."""
    steps = f"{'parse':>7} {'outline':>8} {'chunk':>7} {'extract':>8} {'resolve':>8}"
    print(f"{'repository':16} {'MB':>6} {steps}   extract / (parse + outline + chunk)")
    total: Counter[str] = Counter()
    for name in only or sorted(path.name for path in repos.iterdir() if path.is_dir()):
        spent = measured(repos / name)
        total.update(spent)
        show(name, spent)
    show("all", total)


def measured(root: Path) -> Counter[str]:
    """Seconds of processor time by step."""
    spent: Counter[str] = Counter()
    facts: dict[str, bytes | None] = {}
    for candidate in walk(make_config(root)):
        if candidate.skip_reason:
            continue
        source = (root / candidate.path).read_bytes()
        language = languages.detect(candidate.path, source[:HEAD_BYTES])
        began = time.process_time()
        parsed = languages.parse(candidate.path, language, source)
        after_parse = time.process_time()
        outlined = languages.outline(parsed)
        after_outline = time.process_time()
        chunk(parsed, outlined)
        after_chunk = time.process_time()
        extracted = extract(parsed, outlined)
        after_extract = time.process_time()
        facts[candidate.path] = extracted.facts
        spent["parse"] += after_parse - began
        spent["outline"] += after_outline - after_parse
        spent["chunk"] += after_chunk - after_outline
        spent["extract"] += after_extract - after_chunk
        spent["MB"] += len(source) / 1e6
    began = time.process_time()
    Resolver().update(facts)
    spent["resolve"] = time.process_time() - began
    return spent


def show(name: str, spent: Counter[str]) -> None:
    others = spent["parse"] + spent["outline"] + spent["chunk"]
    print(
        f"{name:16} {spent['MB']:6.2f} {spent['parse']:7.2f} {spent['outline']:8.2f} {spent['chunk']:7.2f} "
        f"{spent['extract']:8.2f} {spent['resolve']:8.2f}   {spent['extract'] / max(others, 1e-9):.2f}"
    )
