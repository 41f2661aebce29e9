"""Which facts stay decoded between two updates."""

from __future__ import annotations

from sightline import languages
from sightline.graph.build.decoded import Decoded
from sightline.graph.build.extract import extract
from sightline.graph.build.spool import Spool


def _facts(path: str) -> bytes:
    parsed = languages.parse(path, languages.detect(path), b"def f():\n    return g()\n")
    return extract(parsed, languages.outline(parsed)).facts


def test_what_was_asked_for_last_stays_decoded_as_far_as_there_is_room() -> None:
    paths = [f"m{n}.py" for n in range(9)]
    encoded = {path: _facts(path) for path in paths}
    # An eighth of it between two updates: three files.
    files = Decoded(room=8 * 3 * max(map(len, encoded.values())), encoded=Spool())
    files.take(encoded.items())
    first = {path: files[path] for path in paths}
    files.rest()
    assert [path for path in paths if files[path] is first[path]] == paths[-3:]


def test_what_stays_is_what_several_updates_ask_for() -> None:
    encoded = {path: _facts(path) for path in ("often.py", "a.py", "b.py", "c.py")}
    files = Decoded(room=8 * 2 * max(map(len, encoded.values())), encoded=Spool())
    files.take(encoded.items())
    often = files["often.py"]
    for path in ("a.py", "b.py", "c.py"):
        files.rest()
        assert files["often.py"] is often
        assert files[path].path == path


def test_a_header_of_many_short_definitions_takes_room_for_each_of_them() -> None:
    text = "".join(f"#define REGISTER_{n} {n}\n" for n in range(2_000)).encode()
    parsed = languages.parse("registers.h", languages.detect("registers.h"), text)
    data = extract(parsed, languages.outline(parsed)).facts
    files = Decoded(room=len(data), encoded=Spool())
    files.take([("registers.h", data)])
    assert len(files["registers.h"].definitions) == 2_001
    assert len(data) < 14 * 2_001 and files.is_full(), "it is encoded well, and decoded as large as any other"
