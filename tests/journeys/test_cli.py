"""The command line as a person meets it: answers, messages, exit codes, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sightline.config import make_config
from sightline.errors import ConfigError
from sightline.store.lock import announce_writer, take_lock
from tests.support.waiting import BOUND_S

Run = Callable[..., Any]


def test_a_question_about_an_unindexed_folder_indexes_it_first(shop: Path, sightline_process: Run) -> None:
    done = sightline_process("search", "remove expired sessions", shop)
    assert done.returncode == 0
    assert done.stdout.splitlines()[2] == "src/auth/sessions.py"
    assert done.stderr == "", "quiet in a pipe"


def test_the_current_folder_is_the_default(shop: Path, sightline: Run) -> None:
    assert "addToCart" in sightline("search", "shopping cart", cwd=shop).stdout


def test_json_is_the_response_of_the_tool(shop: Path, sightline: Run) -> None:
    answer = json.loads(sightline("search", "login", shop, "--json", "--limit", "2").stdout)
    assert answer["api_version"] == 1
    assert len(answer["hits"]) == 2
    assert set(answer["hits"][0]) >= {"type", "id", "rank", "score", "match_type", "path", "start_line", "end_line"}
    again = json.loads(sightline("search", "login", shop, "--json", "--api-version", "2").stdout)
    assert answer["objects"][0]["id"] == answer["objects"][0]["version_id"]
    assert "id" not in again["objects"][0]


def test_every_argument_works_as_a_flag(shop: Path, sightline: Run) -> None:
    line = (  # noqa: SIM905
        "--limit 3 --file-filter src/** --exclude-filter **/sessions.py --types chunk --types object --mode bm25-only "
        "--strategy weighted --depth 1 --min-similarity 0.1 --filters language=python --relationship-limit 5 "
        "--weights vector=1 --weights bm25=2 --rrf-k 10 --no-rerank --expand --max-tokens 500 --root shop"
    ).split()
    done = sightline("search", "sessions login", shop, "--json", *line)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["mode"] == "bm25"
    assert answer["strategy"] == "weighted"
    assert {hit["path"] for hit in answer["hits"]} <= {"src/auth/service.py", "src/auth/check.py"}


def test_pages_follow_each_other_by_cursor(shop: Path, sightline: Run) -> None:
    first = json.loads(sightline("search", "session", shop, "--json", "--limit", "2").stdout)
    second = json.loads(
        sightline("search", "session", shop, "--json", "--limit", "2", "--cursor", first["next_cursor"]).stdout
    )
    assert not {hit["id"] for hit in first["hits"]} & {hit["id"] for hit in second["hits"]}


def test_nothing_found_is_exit_code_1(shop: Path, sightline: Run) -> None:
    done = sightline("search", "zzzzqqqq", shop, "--mode", "bm25")
    assert done.returncode == 1
    assert "No hits" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["search", "x", "missing"], "does not exist"),
        (["search", "x", "README.md"], "is a file"),
        (["search", "x", "--limit", "0"], "between 1 and 100"),
        (["search", "x", "--mode", "fast"], "`mode`"),
        (["search", "x", "--filters", "language"], "KEY=VALUE"),
        (["search", "x", "--root", "other"], "known ones: shop"),
        (["search"], "Missing argument"),
        (["serch", "x"], "Did you mean"),
        (["search", "x", "--limt", "3"], "--limit"),
        (["serve", "--transport", "pigeon"], "known ones: stdio, sse, http"),
        (["serve", "--transport", "http", "--host", "0.0.0.0"], "without a token"),
        (["export", "--table", "dreams"], "known ones"),
        (["export", "--format", "gif"], "known ones: jsonl, graphml"),
        (["export", "--format", "jsonl", "--table", "files"], "--table has nothing to choose"),
        (["export", ".", "..", "--format", "graphml"], "holds one graph"),
        (["search", "x", "--embedder", "magic"], "magic"),
        (["export", "--output", "missing/graph.jsonl"], "cannot write missing/graph.jsonl: No such file"),
        (["serve", "--transport", "http", "--token-file", "README.md/token"], "cannot read the token file"),
        (["serve", "--token-file", "token"], "over stdio nobody can send a token"),
        (["serve", "--generate-token"], "over stdio nobody can send a token"),
    ],
)
def test_a_wrong_command_line_is_exit_code_2_and_one_clear_message(
    shop: Path, sightline: Run, arguments: list[str], message: str
) -> None:
    done = sightline(*arguments, cwd=shop)
    assert message in done.stderr
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_the_home_folder_is_refused_unless_allowed(sightline: Run, environment: dict[str, str]) -> None:
    home = Path(environment["HOME"])
    (home / "a.py").write_text("def at_home(): pass\n")
    refused = sightline("search", "at_home", home)
    assert refused.returncode == 2
    assert "--allow-any-root" in refused.stderr
    assert sightline("search", "at_home", home, "--allow-any-root").returncode == 0


def test_an_empty_folder_is_answered(tmp_path: Path, sightline: Run) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    done = sightline("search", "anything", folder)
    assert done.returncode == 1
    assert "there are no files to index" in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions")
def test_odd_files_are_indexed_or_counted_never_fatal(shop: Path, sightline: Run) -> None:
    (shop / "bytes.py").write_bytes(b"def broken_utf8():\n    return '\xff\xfe\xfa'\n")
    (shop / "crlf.py").write_bytes(b"def windows_lines():\r\n    return 1\r\n")
    (shop / "bom.py").write_bytes(b"\xef\xbb\xbfdef with_mark():\n    return 1\n")
    (shop / "tool.bin").write_bytes(bytes(range(256)) * 10)
    (shop / "program").write_bytes(b"\x7fELF" + bytes(2_000))
    with (shop / "huge.py").open("wb") as file:
        file.truncate(50_000_000)
    (shop / "locked.py").write_text("def locked(): pass\n")
    (shop / "locked.py").chmod(0)
    for name, path in [("broken_utf8", "bytes.py"), ("windows_lines", "crlf.py"), ("with_mark", "bom.py")]:
        done = sightline("search", name, shop, "--json")
        assert done.returncode == 0, done.stderr
        hit = json.loads(done.stdout)["hits"][0]
        assert (hit["path"], hit["start_line"]) == (path, 1)
    status = json.loads(sightline("status", shop, "--json", "--files").stdout)["roots"][0]
    why = {file["path"]: (file["state"], file["reason"]) for file in status["files_list"]}
    assert why["tool.bin"][0] == "skipped"
    assert why["program"][0] == "skipped"
    assert why["huge.py"] == ("skipped", "too large")
    if os.geteuid() != 0:
        assert why["locked.py"] == ("failed", "unreadable")
        assert status["files"]["failed"] == 1


def test_index_status_and_clear(shop: Path, sightline: Run, environment: dict[str, str]) -> None:
    before = sightline("status", shop)
    assert before.returncode == 1
    assert "none yet" in before.stdout
    indexed = sightline("index", shop)
    assert indexed.returncode == 0
    assert "5 files indexed (5 new or changed, 0 removed)" in indexed.stdout
    (shop / "web/cart.ts").unlink()
    again = json.loads(sightline("index", shop, "--json").stdout)["roots"][0]
    assert (again["files"], again["files_changed"], again["files_removed"]) == (4, 0, 1)
    status = json.loads(sightline("status", shop, "--json").stdout)["roots"][0]
    assert status["state"] == "ready"
    assert status["languages"]["python"] == 3
    assert status["known"]["python"] == "resolved"
    assert status["relationships"]["by_type"]["calls"]["proven"] >= 1
    assert status["writer"]["pid"] is None
    shown = sightline("status", shop).stdout
    for word in ("4 indexed", "python 3", "objects", "calls", "embedder", "writer", "kept in"):
        assert word in shown
    assert sightline("clear", shop).returncode == 0
    assert sightline("clear", shop).returncode == 1
    assert sightline("status", shop).returncode == 1
    assert list(shop.iterdir()) and not (shop / ".sightline").exists(), "the repository is never written to"


def test_rebuild_begins_anew(shop: Path, sightline: Run) -> None:
    sightline("index", shop)
    again = json.loads(sightline("index", shop, "--json", "--rebuild").stdout)["roots"][0]
    assert again["files_changed"] == 5


def test_export_writes_one_record_per_line(shop: Path, sightline: Run, tmp_path: Path) -> None:
    out = tmp_path / "index.jsonl"
    assert sightline("export", shop, "-o", out).returncode == 0
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert {record["type"] for record in records} == {"file", "chunk", "object", "relationship"}
    objects = sightline("export", shop, "--table", "objects").stdout.splitlines()
    assert any(json.loads(line)["qualified_name"] == "AuthService.login" for line in objects)


def test_export_writes_the_graph_for_other_tools(shop: Path, sightline: Run) -> None:
    records = [json.loads(line) for line in sightline("export", shop, "--format", "jsonl").stdout.splitlines()]
    assert {record["type"] for record in records} == {"object", "relationship"}
    calls = [record for record in records if record.get("relationship_type") == "calls"]
    assert all({"name", "qualified_name", "kind", "path", "line"} <= record["source"].keys() for record in calls)
    assert {record["root"] for record in records} == {"shop"}, "of several roots each record names its own"
    graphml = sightline("export", shop, "--format", "graphml").stdout
    assert ElementTree.fromstring(graphml).tag.endswith("graphml")


def test_several_roots_are_fused_and_labelled(shop: Path, sightline: Run, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "sessions.go").write_text(
        "package other\n\n// RemoveExpired drops old sessions.\nfunc RemoveExpired() {}\n"
    )
    answer = json.loads(sightline("search", "remove expired", shop, other, "--json").stdout)
    assert {hit["root"] for hit in answer["hits"]} == {"shop", "other"}
    scores = [hit["score"] for hit in answer["hits"]]
    assert scores == sorted(scores, reverse=True)
    only = json.loads(sightline("search", "remove expired", shop, other, "--root", "other", "--json").stdout)
    assert {hit["root"] for hit in only["hits"]} == {"other"}


def test_the_package_itself_is_the_command() -> None:
    done = subprocess.run([sys.executable, "-m", "sightline", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("sightline ")


@pytest.mark.parametrize("workers", ["two", "-1", "\u00b2", "\u0663", ""])
def test_a_number_of_workers_that_is_none_is_refused(shop: Path, workers: str) -> None:
    with pytest.raises(ConfigError, match="SIGHTLINE_WORKERS must be a whole number"):
        make_config(shop, environ={"SIGHTLINE_WORKERS": workers, "HOME": str(shop)})


def test_the_index_of_a_folder_that_is_gone_can_be_deleted(shop: Path, sightline: Run, tmp_path: Path) -> None:
    sightline("index", shop)
    shop.rename(tmp_path / "elsewhere")
    done = sightline("clear", shop)
    assert (done.returncode, done.stderr) == (0, f"{shop}: index deleted\n")


@pytest.mark.parametrize("command", [["clear"], ["index", "--rebuild"]])
def test_an_index_that_a_process_keeps_is_not_deleted_and_the_process_is_named(
    shop: Path, sightline: Run, command: list[str]
) -> None:
    sightline("index", shop)
    index_dir = make_config(shop).index_dir
    lock = take_lock(index_dir)
    announce_writer(index_dir)
    try:
        done = sightline(*command, shop)
    finally:
        lock.release()
    assert done.returncode == 1
    assert f"process {os.getpid()} keeps this index up to date (stop it" in done.stderr


@pytest.mark.parametrize("command", ["--help", "search --help", "serve --help", "--version"])
def test_help_imports_nothing_heavy(command: str, environment: dict[str, str]) -> None:
    code = (
        "import sys\nfrom sightline.server.cli.main import run\n"
        f"code = run({command.split()!r})\n"
        "heavy = {'mcp', 'lancedb', 'lance', 'pyarrow', 'tantivy', 'tree_sitter', 'fastembed', 'numpy'}\n"
        "print('HEAVY', sorted(heavy & set(sys.modules)), code)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.splitlines()[-1] == "HEAVY [] 0"


def test_output_cut_off_by_the_reader_is_no_error(shop: Path, environment: dict[str, str]) -> None:
    line = f'"{sys.executable}" -m sightline.server export "{shop}" | head -1; echo "${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, env=environment, check=False)
    assert "Traceback" not in done.stderr
    assert "Broken" not in done.stderr


def test_watch_keeps_the_index_fresh_until_stopped(shop: Path, sightline: Run, environment: dict[str, str]) -> None:
    line = [sys.executable, "-m", "sightline.server", "watch", str(shop)]
    with subprocess.Popen(line, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            assert "watching" in process.stderr.readline()
            deadline = time.monotonic() + 45
            while (writer := writer_of(sightline, shop)) != process.pid:
                assert time.monotonic() < deadline, writer
            (shop / "new.py").write_text("def brand_new_function():\n    return 1\n")
            while "new.py" not in sightline("search", "brand_new_function", shop, "--mode", "bm25").stdout:
                assert time.monotonic() < deadline
            assert "another Sightline process" in sightline("index", shop).stdout
        finally:
            process.terminate()
        assert process.wait(timeout=BOUND_S) == 0
    assert writer_of(sightline, shop) is None


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_a_killed_writer_is_not_shown_as_one(shop: Path, sightline: Run, environment: dict[str, str]) -> None:
    line = [sys.executable, "-m", "sightline.server", "watch", str(shop)]
    with subprocess.Popen(line, env=environment, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 45
        while writer_of(sightline, shop) != process.pid:
            assert time.monotonic() < deadline
        process.kill()
    assert list(Path(environment["SIGHTLINE_INDEX_DIR"]).rglob("writer.json")), "it could not take its note back"
    assert writer_of(sightline, shop) is None
    assert "nobody watches" in sightline("status", shop).stdout


def test_status_says_of_every_file_why_it_is_in_or_out(shop: Path, sightline: Run) -> None:
    for name in (".gitignore", ".sightlineignore", "a.log", "private/x.py", "node_modules/y.js", ".env"):
        path = shop / name
        path.parent.mkdir(exist_ok=True)
        path.write_text({".gitignore": "*.log\n", ".sightlineignore": "private/\n"}.get(name, "x = 1\n"))
    sightline("index", shop)
    status = json.loads(sightline("status", shop, "--json", "--files").stdout)["roots"][0]
    assert {entry["path"]: entry["reason"] for entry in status["ignored_list"]} == {
        "a.log": ".gitignore",
        "private/": ".sightlineignore",
        "node_modules/": "folder that is never looked into",
    }
    assert status["ignored"] == {".gitignore": 1, ".sightlineignore": 1, "folder that is never looked into": 1}
    shown = sightline("status", shop, "--files").stdout
    assert "ignored  private/  (.sightlineignore)" in shown
    assert "skipped  .env" in shown


def writer_of(sightline: Run, root: Path) -> int | None:
    pid: int | None = json.loads(sightline("status", root, "--json").stdout)["roots"][0]["writer"]["pid"]
    return pid


def test_status_in_a_pipe_breaks_no_path_and_pads_no_line(tmp_path: Path, shop: Path, sightline: Run) -> None:
    indexes = tmp_path / ("a_long_name_" * 10) / "indexes"
    done = sightline("index", shop, "--index-dir", indexes)
    assert done.returncode == 0, done.stderr
    shown = sightline("status", shop, "--index-dir", indexes).stdout
    assert str(indexes.resolve()) in shown
    assert all(line == line.rstrip() for line in shown.split("\n"))


def test_help_fits_without_being_cut(sightline: Run) -> None:
    said = sightline("--help").stdout
    assert "..." not in said.partition("Commands:")[2]


def test_why_an_embedder_cannot_be_loaded_is_said(shop: Path, sightline: Run) -> None:
    assert sightline("index", shop).returncode == 0
    done = sightline("index", shop, "--embedder", "fastembed:./no/such/folder")
    assert done.returncode == 1
    assert "no model directory at" in done.stderr


@pytest.mark.parametrize("command", ["symbol", "expand"])
def test_an_empty_name_is_answered_with_what_to_ask(shop: Path, sightline: Run, command: str) -> None:
    done = sightline(command, " ", shop)
    assert done.returncode == 1
    assert done.stdout.startswith("Empty ")


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_an_interrupted_command_says_so_in_one_line(
    shop: Path, sightline: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sightline.server.app.App.open", interrupt)
    done = sightline("search", "x", shop)
    assert (done.returncode, done.stderr) == (130, "sightline: interrupted\n")
