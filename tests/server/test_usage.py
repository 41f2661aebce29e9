"""The log of what agents asked: what it holds, what it does not, and that it never gets in the way."""

from __future__ import annotations

import json
import stat
import sys
import threading
from pathlib import Path

import pytest

from sightline.server import usage
from sightline.server.answers import stats
from sightline.server.cli.main import run

DAY = 86_400.0


def a_call(at: float = 1.0, asked: str = "q", tool: str = "search") -> usage.Call:
    return usage.Call(at, "/root", tool, asked, 12, 1_000, True, 2, 50_000)


def test_a_call_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    usage.append(tmp_path, a_call(asked="gr\u00fc\u00dfe\n\x1b"))
    usage.append(tmp_path, a_call(2.0))
    assert list(usage.read(tmp_path)) == [a_call(asked="gr\u00fc\u00dfe\n\x1b"), a_call(2.0)]


@pytest.mark.skipif(sys.platform == "win32", reason="modes and links")
def test_the_log_is_the_persons_alone_and_no_link_is_followed(tmp_path: Path) -> None:
    usage.append(tmp_path, a_call())
    assert stat.S_IMODE((tmp_path / usage.NAME).stat().st_mode) == 0o600
    other = tmp_path / "other"
    other.mkdir()
    (other / "target").write_text("theirs")
    (other / usage.NAME).symlink_to(other / "target")
    with pytest.raises(OSError, match="symbolic links"):
        usage.append(other, a_call())
    assert (other / "target").read_text() == "theirs"


def test_the_log_is_bounded_and_keeps_the_newest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usage, "MAX_BYTES", 2_000)
    for number in range(200):
        usage.append(tmp_path, a_call(float(number)))
    size = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert size <= 2 * 2_000 + 500
    assert list(usage.read(tmp_path))[-1].at == 199.0


def test_lines_of_several_writers_do_not_mix(tmp_path: Path) -> None:
    def write(number: int) -> None:
        for at in range(100):
            usage.append(tmp_path, a_call(float(at), f"{number}" * 200))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list(usage.read(tmp_path))) == 400


@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe",
        b"[]",
        b"{}",
        b'{"at":1}',
        json.dumps({**dict.fromkeys(usage.Call.__slots__, -1)}).encode(),
        b"[" * 3_000,
    ],
)
def test_a_line_that_is_not_ours_is_skipped(line: bytes, tmp_path: Path) -> None:
    (tmp_path / usage.NAME).write_bytes(line + b"\n")
    usage.append(tmp_path, a_call())
    assert list(usage.read(tmp_path)) == [a_call()]


def test_only_files_that_the_answer_names_are_weighed(tmp_path: Path) -> None:
    (tmp_path / "shown.py").write_text("x" * 100)
    (tmp_path / "cut.py").write_text("x" * 1_000)
    data = {"hits": [{"path": "shown.py"}, {"path": "shown.py"}, {"path": "cut.py"}, {"path": "gone.py"}]}
    note = usage.Note(a_call(), "shown.py:1\ngone.py:3", lambda: data, [("root", tmp_path)])
    call = usage.weighed(note)
    assert (call.files, call.files_bytes) == (1, 100)


def test_a_log_that_cannot_be_written_is_not_noticed_by_the_one_who_asks(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    log = usage.UsageLog(tmp_path / "file" / "below")
    for _ in range(usage.MAX_WAITING * 2):
        log.note(usage.Note(a_call(), "", dict, []))
    log.close()


def test_the_sums_are_those_of_the_last_days() -> None:
    calls = [a_call(0.0), a_call(10 * DAY, "older"), a_call(11 * DAY, "newer", "code_research")]
    collected = stats.collect(calls, days=3, questions=1, now=12 * DAY)
    assert collected["calls"] == 2
    assert collected["total"]["files_bytes"] == 100_000
    assert [question["asked"] for question in collected["questions"]] == ["newer"]
    shown = stats.text(collected)
    assert "50.0 times as much" in shown
    assert "code_research" in shown


def test_a_question_cannot_talk_to_the_terminal_or_forge_a_line() -> None:
    hostile = usage.Call(1.0, "/r\x1b[2J", "search", "a\nb \x1b]0;x\x07\u202e", 1, 10, True, 0, 0)
    other = usage.Call(1.0, "/other", "tool\x1b", "q", 1, 10, True, 0, 0)
    shown = stats.text(stats.collect([hostile, other], days=1, questions=5, now=2.0))
    assert not any(character in shown for character in ("\x1b", "\x07", "\u202e"))
    assert "a\\nb \\x1b]0;x\\x07\\u202e" in shown


def test_the_command_shows_prints_and_forgets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import time

    where = ["--index-dir", str(tmp_path)]
    assert run(["stats", *where]) == 1
    assert "no calls" in capsys.readouterr().out
    usage.append(tmp_path, a_call(time.time(), "who calls it"))
    assert run(["stats", *where]) == 0
    assert "who calls it" in capsys.readouterr().out
    assert run(["stats", *where, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["total"]["calls"] == 1
    assert run(["stats", *where, "--forget"]) == 0
    assert not list(tmp_path.iterdir())
