"""What we rely on: parts of libraries that they do not call public, and what we ourselves promise to others."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import h11
import lance
import pyarrow as pa
import watchfiles
from uvicorn.protocols.http.h11_impl import H11Protocol
from watchfiles._rust_notify import RustNotify

import sightline
from sightline import client
from tests.support.paths import REPOSITORY
from tests.support.waiting import wait_for


def test_lance_reads_rows_by_their_addresses_in_the_order_asked_for(tmp_path: Path) -> None:
    """`longcolumns.py` uses `_take_rows`: the public `take` counts rows, and a filter by address reads them all."""
    dataset = lance.write_dataset(pa.table({"word": ["a", "b"]}), str(tmp_path / "words.lance"))
    dataset = lance.write_dataset(pa.table({"word": ["c", "d"]}), str(tmp_path / "words.lance"), mode="append")
    addresses = dataset.scanner(columns=["word"], with_row_id=True).to_table()["_rowid"].to_pylist()
    assert len(set(addresses)) == 4
    dataset.delete("word = 'a'")
    wanted = pa.array([addresses[3], addresses[1]], pa.uint64())
    assert dataset._take_rows(wanted, columns=["word"]).to_pydict() == {"word": ["d", "b"]}


def test_watchfiles_tells_of_changes_in_the_folders_named_and_not_below_them(tmp_path: Path) -> None:
    """`watch.py` uses the class under `watchfiles.watch`, which cannot watch chosen folders one by one."""
    (tmp_path / "watched" / "below").mkdir(parents=True)
    watched = str(tmp_path.resolve() / "watched")
    notify = RustNotify([watched], False, False, 0, False, True)
    stop = _Never()
    try:
        (tmp_path / "watched" / "below" / "hidden.py").write_text("x")
        (tmp_path / "watched" / "seen.py").write_text("x")
        seen: set[tuple[int, str]] = set()

        def arrived() -> bool:
            found = notify.watch(50, 10, 500, stop)
            assert isinstance(found, set) or found == "timeout"
            seen.update(found if isinstance(found, set) else ())
            return any(name == f"{watched}/seen.py" for _, name in seen)

        wait_for(arrived, "the event")
        assert {kind for kind, name in seen if name.endswith("seen.py")} <= {
            watchfiles.Change.added.value,
            watchfiles.Change.modified.value,
        }
        assert not any(name.endswith("hidden.py") for _, name in seen)
    finally:
        notify.close()


class _Never:
    """An event that never happens, as `watch` asks for one."""

    def is_set(self) -> bool:
        return False


def test_the_names_of_the_package_are_those_that_are_promised() -> None:
    assert sightline.__all__ == ["Client", "__version__"]
    assert sightline.Client is client.Client
    assert not hasattr(sightline, "App")


def test_the_names_of_the_client_are_those_that_are_documented() -> None:
    documented = re.findall(r"^\| `(\w+)", section("Python client: names"), re.MULTILINE)
    assert documented == sorted(client.__all__)
    ours = {name for name, thing in vars(client).items() if getattr(thing, "__module__", "") == client.__name__}
    assert {name for name in ours if not name.startswith("_")} <= set(client.__all__)
    assert set(client.__all__) <= vars(client).keys()


def test_the_methods_of_the_client_are_those_that_are_documented() -> None:
    documented = re.findall(r"^\| `(\w+)\(", section("Python client: methods of `Client`"), re.MULTILINE)
    public = [name for name, _ in inspect.getmembers(client.Client, inspect.isfunction) if not name.startswith("_")]
    assert documented == public


def section(title: str) -> str:
    """A section of the reference."""
    text = (REPOSITORY / "docs" / "REFERENCE.md").read_text(encoding="utf-8")
    assert f"## {title}\n" in text
    return text.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


def test_what_is_registered_to_run_at_exit_can_be_run(tmp_path: Path) -> None:
    """`ending.py` runs it before it leaves without looking back, which no public function does."""
    left = tmp_path / "left"
    script = f"import atexit, os\natexit.register(open, {str(left)!r}, 'w')\natexit._run_exitfuncs()\nos._exit(7)\n"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 7
    assert left.exists()


def test_a_connection_of_uvicorn_has_what_ours_relies_on() -> None:
    """`connections.py` counts connections and closes those that never send a whole request head."""
    made = inspect.getsource(H11Protocol.__init__)
    missing = [
        part for part in ("self.conn = ", "self.connections = ", "self.loop = ", "self.transport") if part not in made
    ]
    assert not missing
    for name in ("connection_made", "data_received", "connection_lost"):
        assert callable(getattr(H11Protocol, name))
    assert h11.Connection(h11.SERVER).their_state is h11.IDLE
