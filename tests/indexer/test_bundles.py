"""A published index: begun with elsewhere it equals a fresh one, and whatever is wrong with it is refused by name."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from sightline.config import make_config
from sightline.embed import Embedder
from sightline.errors import BundleError, ConfigError
from sightline.indexer.bundles import bundle as form
from sightline.indexer.bundles.places import Folder, Web, open_place
from sightline.indexer.bundles.project import is_allowed, named_by
from sightline.indexer.bundles.pull import pull
from sightline.server.cli.main import run
from sightline.store import FORMAT_VERSION, open_snapshot
from tests.support.index_content import content_of, fresh_content
from tests.support.repositories import committed, git
from tests.support.webserver import serving

FILES = {
    "a.py": "from b import beta\n\n\ndef alpha():\n    return beta()\n",
    "b.py": "def beta():\n    return 1\n",
    "web/c.ts": "export class Gamma { delta() { return 1 } }\n",
    "README.md": "# Title\n",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    committed(tmp_path / "repository", FILES)
    return tmp_path / "repository"


@pytest.fixture
def place(repository: Path, tmp_path: Path) -> Path:
    """A folder with the bundle of the repository's first commit."""
    assert run(["publish", str(repository), "--to", str(tmp_path / "place"), "--index-dir", str(tmp_path / "ci")]) == 0
    return tmp_path / "place"


def pulled(root: Path, source: str, home: Path) -> int:
    return run(["pull", str(root), "--from", source, "--index-dir", str(home)])


def index_of(root: Path, home: Path) -> Any:
    return content_of(open_snapshot(make_config(root, index_dir=home).index_dir))


def test_what_is_pulled_equals_a_fresh_index(repository: Path, place: Path, tmp_path: Path, embedder: Embedder) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(repository), str(clone))
    assert pulled(clone, str(place), tmp_path / "laptop") == 0
    assert index_of(clone, tmp_path / "laptop") == fresh_content(clone, tmp_path / "fresh", embedder)
    assert not list((tmp_path / "laptop").glob(".pull-*"))


def test_what_was_changed_since_is_indexed_on_top(
    repository: Path, place: Path, tmp_path: Path, embedder: Embedder
) -> None:
    committed(repository, {"b.py": "def beta():\n    return gamma()\n", "d.py": "from a import alpha\nalpha()\n"})
    (repository / "not committed.py").write_text("def loose(): ...\n")
    (repository / "README.md").unlink()
    assert pulled(repository, str(place), tmp_path / "laptop") == 0
    assert index_of(repository, tmp_path / "laptop") == fresh_content(repository, tmp_path / "fresh", embedder)


def test_a_second_publication_writes_only_what_is_new(
    repository: Path, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    committed(repository, {"d.py": "def later(): ...\n"})
    capsys.readouterr()
    line = ["publish", str(repository), "--to", str(place), "--ref", "main", "--json"]
    assert run([*line, "--index-dir", str(tmp_path / "another machine")]) == 0
    written = json.loads(capsys.readouterr().out)
    assert 0 < written["files_new"] < written["files"]
    assert written["bytes_new"] < written["bytes_all"] / 2
    assert len(form.read_index((place / form.INDEX).read_bytes())) == 2


def test_publishing_twice_writes_nothing_new(
    repository: Path, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert run(["publish", str(repository), "--to", str(place), "--index-dir", str(tmp_path / "ci"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["files_new"] == 0


def test_nothing_is_published_but_what_the_commit_holds(repository: Path, tmp_path: Path) -> None:
    """Not what a file said before it was edited, and not what is in another work tree that the index began with."""
    home = ["--index-dir", str(tmp_path / "home")]
    other = tmp_path / "other"
    shutil.copytree(repository, other)
    (other / "private.py").write_text("def other_secret_word(): ...\n")
    assert run(["index", str(other), *home]) == 0
    (repository / "a.py").write_text("def earlier_secret_word(): ...\n")
    assert run(["index", str(repository), *home]) == 0
    git(repository, "checkout", "-q", "--", "a.py")
    place = tmp_path / "place"
    assert run(["publish", str(repository), "--to", str(place), *home]) == 0
    files = json.loads(description_of(place).read_bytes())["files"]
    replaced = [file for file in files if "_deletions" in file or file.endswith(".del")]
    assert not replaced, "rows that were replaced are still in the files of an index"
    assert not list((tmp_path / "home").glob("*.publish"))


@pytest.mark.parametrize("what", ["changed", "untracked", "other ref", "no repository"])
def test_only_a_commit_as_it_is_can_be_published(what: str, repository: Path, tmp_path: Path) -> None:
    line = ["publish", str(repository), "--to", str(tmp_path / "place"), "--index-dir", str(tmp_path / "ci")]
    if what == "changed":
        (repository / "a.py").write_text("changed\n")
    elif what == "untracked":
        (repository / "new.py").write_text("new\n")
    elif what == "other ref":
        git(repository, "branch", "other")
        committed(repository, {"x.py": "x = 1\n"})
        line += ["--ref", "other"]
    else:
        shutil.rmtree(repository / ".git")
    assert run(line) == 2
    assert not (tmp_path / "place").exists()


def description_of(place: Path) -> Path:
    return next((place / "bundles").iterdir())


def rewrite(place: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a description as somebody would who can write to the place, and list it as if it were right."""
    path = description_of(place)
    body = json.loads(path.read_bytes())
    change(body)
    data = json.dumps(body).encode()
    path.write_bytes(data)
    (place / form.INDEX).write_bytes(form.write_index({path.stem: form.sha256_of(data)}))


def largest_blob(place: Path) -> Path:
    return max((path for path in (place / "blobs").rglob("*") if path.is_file()), key=lambda path: path.stat().st_size)


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def another_content(place: Path) -> None:
    """A blob that is whole, of the right size and compressed as it should be, but holds something else."""
    files = json.loads(description_of(place).read_bytes())["files"]
    size, sha256 = max(files.values())
    (place / form.blob_name(sha256)).write_bytes(form.compressed(bytes(size)))


def bomb(place: Path) -> None:
    files = json.loads(description_of(place).read_bytes())["files"]
    _, sha256 = max(files.values())
    (place / form.blob_name(sha256)).write_bytes(pa.Codec("zstd", 1).compress(bytes(50_000_000), asbytes=True))


def renamed(body: dict[str, Any], name: str) -> None:
    file = next(iter(body["files"]))
    body["files"][name] = body["files"].pop(file)
    body["manifest"]["sealed"][name] = body["manifest"]["sealed"].pop(file)


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a bit of a blob": (lambda p: flip(largest_blob(p)), "is damaged|not what its description says"),
    "a short blob": (lambda p: largest_blob(p).write_bytes(largest_blob(p).read_bytes()[:-20]), "damaged|not what"),
    "an empty blob": (lambda p: largest_blob(p).write_bytes(b""), "damaged|not what"),
    "a missing blob": (lambda p: largest_blob(p).unlink(), "is missing"),
    "another content": (another_content, "not what its description says"),
    "a blob that inflates": (bomb, "damaged|not what"),
    "a huge blob": (lambda p: largest_blob(p).write_bytes(bytes(5_000_000)), "has more than"),
    "a bit of the description": (lambda p: flip(description_of(p)), "not the one that was listed"),
    "no description": (lambda p: description_of(p).unlink(), "is missing"),
    "no list": (lambda p: (p / form.INDEX).unlink(), "has no bundles"),
    "a damaged list": (lambda p: (p / form.INDEX).write_bytes(b"{"), "index.json is damaged"),
    "a nested list": (lambda p: (p / form.INDEX).write_bytes(b"[" * 100_000), "index.json is damaged"),
    "a list of other things": (lambda p: (p / form.INDEX).write_text('{"bundles": {"x": "y"}}'), "is damaged"),
    "another kind": (lambda p: rewrite(p, lambda b: b.update(bundle=2)), "of kind 2"),
    "another format": (lambda p: rewrite(p, lambda b: b.update(format=99)), "format 99"),
    "another version": (lambda p: rewrite(p, lambda b: b.update(made_by="9.9")), "Sightline 9.9"),
    "another model": (lambda p: rewrite(p, lambda b: b.update(embedder="other")), "the model 'other'"),
    "another commit": (lambda p: rewrite(p, lambda b: b.update(commit="0" * 40)), "another commit"),
    "no files": (lambda p: rewrite(p, lambda b: b.update(files={})), "no files"),
    "a file elsewhere": (lambda p: rewrite(p, lambda b: renamed(b, "../../evil.py")), "no file of an index"),
    "an absolute file": (lambda p: rewrite(p, lambda b: renamed(b, "/etc/evil")), "no file of an index"),
    "a way up": (lambda p: rewrite(p, lambda b: renamed(b, "tables/files.lance/../../x")), "no file of an index"),
    "a file too many": (
        lambda p: rewrite(p, lambda b: b["files"].update({"lexical/chunks/x": [0, "0" * 64]})),
        "not those that its manifest names",
    ),
    "no manifest": (lambda p: rewrite(p, lambda b: b.update(manifest=None)), "no manifest"),
    "a manifest of nonsense": (
        lambda p: rewrite(p, lambda b: b.update(manifest={"format_version": FORMAT_VERSION})),
        "is damaged",
    ),
    "an unfinished index": (lambda p: rewrite(p, lambda b: b["manifest"].update(state="indexing")), "finished index"),
    "sizes of nonsense": (
        lambda p: rewrite(p, lambda b: b["files"].update({next(iter(b["files"])): [-1, "0" * 64]})),
        "is damaged",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_wrong_with_a_bundle_is_named_and_the_index_is_made_here(
    damage: str, repository: Path, place: Path, tmp_path: Path, embedder: Embedder, capsys: pytest.CaptureFixture[str]
) -> None:
    import re

    harm, why = DAMAGES[damage]
    harm(place)
    capsys.readouterr()
    assert pulled(repository, str(place), tmp_path / "laptop") == 1
    said = capsys.readouterr().out
    assert re.search(rf"is not used: .*({why})", said), said
    assert index_of(repository, tmp_path / "laptop") == fresh_content(repository, tmp_path / "fresh", embedder)
    assert not list((tmp_path / "laptop").glob(".pull-*"))
    assert not (tmp_path / "evil.py").exists()


def test_files_that_agree_with_each_other_but_are_no_index_end_in_a_local_one(
    repository: Path, place: Path, tmp_path: Path, embedder: Embedder
) -> None:
    """Whoever can write to the place can make all checksums right; the index is then found out when it is opened."""

    def spoil(body: dict[str, Any]) -> None:
        for file, (size, _) in list(body["files"].items()):
            if file.endswith(".lance"):
                data = b"\xff" * size
                body["files"][file] = [size, form.sha256_of(data)]
                blob = place / form.blob_name(form.sha256_of(data))
                blob.parent.mkdir(exist_ok=True)
                blob.write_bytes(form.compressed(data))

    rewrite(place, spoil)
    pulled(repository, str(place), tmp_path / "laptop")
    assert index_of(repository, tmp_path / "laptop") == fresh_content(repository, tmp_path / "fresh", embedder)


def test_only_a_pinned_bundle_is_taken_when_the_project_pins_any(
    repository: Path, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commit, sha256 = next(iter(form.read_index((place / form.INDEX).read_bytes()).items()))

    def pin(value: str) -> None:
        text = f'[bundle]\nsource = "{place}"\n[bundle.pins]\n{commit} = "{value}"\n'
        (repository / ".sightline.toml").write_text(text)

    pin("0" * 64)
    assert run(["pull", str(repository), "--yes", "--index-dir", str(tmp_path / "one")]) == 1
    assert "not the one that was pinned" in capsys.readouterr().out
    pin(sha256)
    assert run(["pull", str(repository), "--yes", "--index-dir", str(tmp_path / "two")]) == 0


def test_a_project_cannot_have_an_index_taken_from_where_the_person_does_not_allow(
    repository: Path, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / ".sightline.toml").write_text(f'[bundle]\nsource = "{place}"\n')
    home = ["--index-dir", str(tmp_path / "laptop")]
    assert run(["pull", str(repository), *home]) == 2
    assert "not a place that you allow" in capsys.readouterr().err
    assert run(["index", str(repository), *home]) == 0
    assert run(["status", str(repository), *home]) == 0
    assert "began with" not in capsys.readouterr().out
    monkeypatch.setenv("SIGHTLINE_SOURCES", f"https://elsewhere, {place.parent}")
    assert run(["index", str(repository), "--index-dir", str(tmp_path / "another")]) == 0
    assert run(["status", str(repository), "--index-dir", str(tmp_path / "another")]) == 0
    assert f"began with 4 files of {place}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("address", "allowed", "expected"),
    [
        ("https://a/b", ["https://a/b"], True),
        ("https://a/b/c", ["https://a/b/"], True),
        ("https://a/bc", ["https://a/b"], False),
        ("https://a.evil/b", ["https://a"], False),
        ("https://a/b/../../c", ["https://a/b"], False),
        ("s3://bucket/x", [], False),
    ],
)
def test_a_place_is_allowed_by_name_or_by_what_is_above_it(address: str, allowed: list[str], expected: bool) -> None:
    assert is_allowed(address, allowed) is expected


@pytest.mark.parametrize(
    "text", ["[bundle", "[bundle]\nsource = 1\n", '[bundle]\npins = { a = "b" }\n', "a = " + "[" * 5_000]
)
def test_a_project_file_that_cannot_be_understood_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / ".sightline.toml").write_text(text)
    with pytest.raises(ConfigError, match="cannot understand"):
        named_by(tmp_path)


@pytest.fixture
def web(place: Path) -> Iterator[str]:
    with serving(place) as address:
        yield address


def test_a_web_server_is_enough_to_pull_from(
    web: str, repository: Path, tmp_path: Path, embedder: Embedder, capsys: pytest.CaptureFixture[str]
) -> None:
    assert pulled(repository, web, tmp_path / "laptop") == 0
    assert index_of(repository, tmp_path / "laptop") == fresh_content(repository, tmp_path / "fresh", embedder)
    assert run(["publish", str(repository), "--to", web, "--index-dir", str(tmp_path / "ci")]) == 1
    assert "can only be read" in capsys.readouterr().err


def test_what_is_not_encrypted_is_refused() -> None:
    with pytest.raises(ConfigError, match="not encrypted"):
        open_place("http://example.org/indexes")
    with pytest.raises(BundleError, match="cannot be reached"):
        Web("http://127.0.0.1:9").read(form.INDEX, 100)


def test_a_publication_that_is_killed_leaves_nothing_that_could_be_read_half(
    repository: Path, tmp_path: Path, embedder: Embedder
) -> None:
    """It is killed after so many writes, each time a few more; whoever pulls in between gets all of it or nothing."""
    program = (
        "import os, sys; from sightline.indexer.bundles import places\n"
        "left = int(sys.argv[1]); write = places.Folder.write\n"
        "def dying(self, name, data):\n"
        "    global left; left -= 1\n"
        "    if left < 0: os.kill(os.getpid(), 9)\n"
        "    write(self, name, data)\n"
        "places.Folder.write = dying\n"
        "from sightline.server.cli.main import run; raise SystemExit(run(sys.argv[2:]))\n"
    )
    place, ci = tmp_path / "place", tmp_path / "ci"
    line = ["publish", str(repository), "--to", str(place), "--index-dir", str(ci)]
    code, writes = 1, 0
    while code:
        done = subprocess.run([sys.executable, "-P", "-c", program, str(writes), *line], check=False)
        code, writes = done.returncode, writes + 7
        config = make_config(repository, index_dir=tmp_path / f"laptop {writes}")
        config.index_dir.mkdir(parents=True)
        if code:
            with pytest.raises(BundleError, match=r"has no bundles|is missing"):
                pull(config, Folder(place), embedder.id)
            assert not (config.index_dir / "manifest.json").exists()
        else:
            assert pull(config, Folder(place), embedder.id).behind == 0
    assert writes > 20


def test_a_pull_that_is_killed_leaves_nothing_that_could_be_read_half(
    repository: Path, place: Path, tmp_path: Path, embedder: Embedder
) -> None:
    """It is killed while it reads, and while it takes over what it has read; the next one begins anew."""
    program = (
        "import os, sys; from sightline.indexer.bundles import pull; from sightline.store import base\n"
        "left = int(sys.argv[1]); private, placed = pull.private, base._link_or_copy\n"
        "def count():\n"
        "    global left; left -= 1\n"
        "    if left < 0: os.kill(os.getpid(), 9)\n"
        "def dying(path): count(); return private(path)\n"
        "def placing(*a, **k): count(); return placed(*a, **k)\n"
        "pull.private, base._link_or_copy = dying, placing\n"
        "from sightline.server.cli.main import run; raise SystemExit(run(sys.argv[2:]))\n"
    )
    home = tmp_path / "laptop"
    line = ["pull", str(repository), "--from", str(place), "--index-dir", str(home)]
    for writes in (3, 20, 35, 50):
        done = subprocess.run([sys.executable, "-P", "-c", program, str(writes), *line], check=False)
        assert done.returncode == -9
        assert open_snapshot(make_config(repository, index_dir=home).index_dir) is None
    assert run(line) == 0
    assert index_of(repository, home) == fresh_content(repository, tmp_path / "fresh", embedder)
    assert not list(home.glob(".pull-*"))
