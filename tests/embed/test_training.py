"""What decides what the model learns from: prose, hygiene, extraction, preparation; and how it is judged."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scripts.train_embedder import extract, hygiene
from scripts.train_embedder.blend import Vectors, blend
from scripts.train_embedder.evaluate import _rank_of_own, evaluate
from scripts.train_embedder.export import export
from scripts.train_embedder.prepare import prepare
from scripts.train_embedder.prose import strip_comment, summarise

PYTHON = '''
class Account:
    """A customer's account at the bank."""

    def withdraw(self, amount):
        """Take money out of the account.

        Args:
            amount: how much
        """
        if amount > self.balance:
            raise InsufficientFunds(amount)
        self.balance -= amount
        return notify_customer(self)
'''


def archive(path: Path, files: dict[str, str]) -> Path:
    """Write an npm-like archive: everything under one folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(f"package/{name}")
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    return path


def records_of(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, files: dict[str, str], bench: Path | None = None
) -> list[dict[str, object]]:
    monkeypatch.setattr(extract, "_hygiene", hygiene.Hygiene(bench), raising=False)
    pairs = tmp_path / "pairs"
    pairs.mkdir(exist_ok=True)
    extract._extract_archive((pairs, archive(tmp_path / "archives" / "npm" / "bank-1.0.0.tgz", files)))
    return [json.loads(line) for line in (pairs / "npm+bank-1.0.0.tgz.jsonl").read_text().splitlines()]


def test_a_doc_comment_becomes_one_sentence_without_its_formal_part() -> None:
    lines = strip_comment(
        "/**\n * Sends the {@link Message} to all\n * subscribers of the topic. Never blocks.\n * @param m it\n */"
    )
    assert summarise(lines) == ("Sends the Message to all subscribers of the topic.", "Never blocks. @param m it")


@pytest.mark.parametrize(
    "text",
    ["Copyright 2020 Someone, all rights reserved", "TODO: fix this later on", "x = y", "eslint-disable no-foo bar"],
)
def test_comments_that_say_nothing_are_left_out(text: str) -> None:
    assert summarise([text]) is None


def test_a_definition_becomes_a_record_without_its_doc_in_the_code(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    records = {
        r["name"]: r
        for r in records_of(monkeypatch, tmp_path, {"src/bank.py": PYTHON * 1 + "\n" * 50 + "# " + "x" * 200})
    }
    withdraw = records["Account.withdraw"]
    assert withdraw["doc"] == "Take money out of the account."
    assert "Take money" not in str(withdraw["code"])
    assert "self.balance -= amount" in str(withdraw["code"])
    assert withdraw["calls"] == ["InsufficientFunds", "notify_customer"]


def test_a_readme_sentence_and_a_test_name_become_queries_of_what_they_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source = "def withdraw_money(account, amount):\n    account.balance -= amount\n    return account\n"
    test = "def test_cannot_withdraw_more_than_balance():\n    rich = Account()\n    withdraw_money(rich, 5)\n"
    readme = (
        "Call `withdraw_money()` to take cash out of somebody's account.\n\nFixed `withdraw_money` in 2.0 at last.\n"
    )
    files = {"src/bank.py": source, "tests/test_bank.py": test, "README.md": readme}
    files = {path: text + "\n" * 300 for path, text in files.items()}
    linked = {r["kind"]: r for r in records_of(monkeypatch, tmp_path, files) if r["kind"] in ("mention", "test")}
    assert linked["mention"]["doc"] == "Call withdraw_money() to take cash out of somebody's account."
    assert linked["test"]["doc"] == "cannot withdraw more than balance"
    assert {str(r["name"]) for r in linked.values()} == {"withdraw_money"}
    assert all("account.balance -= amount" in str(r["code"]) for r in linked.values())


def test_what_the_benchmark_holds_is_never_trained_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bench = tmp_path / "bench" / "bank"
    bench.mkdir(parents=True)
    (bench / "account.py").write_text(PYTHON)
    files = {"src/bank.py": PYTHON + "\n" * 300}
    assert records_of(monkeypatch, tmp_path, files, tmp_path / "bench") == []


def test_vendored_copies_of_benchmark_repositories_are_banned_by_name() -> None:
    guard = hygiene.Hygiene(None)
    assert guard.bans_path("third/requests/api.py")
    assert guard.bans_path("lib/activerecord-7.0/base.rb")
    assert not guard.bans_path("src/http/client.py")


def test_finding_nothing_is_not_finding_it_first() -> None:
    assert _rank_of_own(np.zeros((5, 5))) == [3] * 5
    assert _rank_of_own(np.eye(3)) == [1, 1, 1]


def test_archives_that_were_just_downloaded_are_read(tmp_path: Path) -> None:
    archive(tmp_path / "archives" / "npm" / "bank-1.0.0.tgz", {"src/bank.py": PYTHON + "\n" * 50 + "# " + "x" * 200})
    extract.extract_all(tmp_path, None, processes=1)
    assert (tmp_path / "pairs" / "npm+bank-1.0.0.tgz.jsonl").read_text().count("\n") == 2


def test_preparing_nothing_names_the_steps_that_come_first(tmp_path: Path) -> None:
    (tmp_path / "pairs").mkdir()
    with pytest.raises(SystemExit, match="download and extract"):
        prepare(tmp_path)


def test_models_that_learned_the_same_in_other_directions_agree_when_blended() -> None:
    rng = np.random.default_rng(0)
    words, dim = 50, 8
    table = rng.normal(size=(words, dim))
    turned = table @ np.linalg.qr(rng.normal(size=(dim, dim)))[0]
    turned[7] = 0  # a word that this one does not know
    weights = rng.uniform(0.5, 2, words)
    known = np.abs(turned).max(axis=1) > 0
    tokens = rng.integers(0, words, 2_000)
    data = {"frequency": np.full(words, 10**9), "language": np.zeros(200, np.int8)}
    for field, count in (("doc", 5), ("code", 5), ("doc_pairs", 0)):
        data |= {field: tokens[: 200 * count], f"{field}_offsets": np.arange(201) * count}
    models = [Vectors(table, weights, 1 / weights), Vectors(turned, weights * known, known / weights)]
    joined = blend(models, [0.5, 0.5], data, dim)
    scores = (joined.query[:, None] * joined.table) @ (joined.document[:, None] * joined.table).T
    expected = (weights[:, None] * table) @ (table / weights[:, None]).T
    others = np.arange(words) != 7
    assert np.corrcoef(scores[np.ix_(others, others)].ravel(), expected[np.ix_(others, others)].ravel())[0, 1] > 0.999
    assert np.abs(joined.table[7]).max() > 0
    size = np.linalg.norm(joined.table * np.sqrt(joined.query * joined.document)[:, None], axis=0)
    assert size[: dim // 2].sum() > size[dim // 2 :].sum()


def test_records_become_a_model_that_can_be_evaluated(tmp_path: Path) -> None:
    (tmp_path / "pairs").mkdir()
    verbs, nouns = ["open", "close", "parse", "render", "delete"], ["socket", "file", "template", "account", "image"]
    for package in range(120):
        with (tmp_path / "pairs" / f"npm+package{package}-1.0.0.tgz.jsonl").open("w") as out:
            for verb in verbs:
                for noun in nouns:
                    record: dict[str, Any] = {
                        "kind": "function", "language": "python", "package": f"package{package}",
                        "path": f"src/{noun}.py",
                        "name": f"{verb}_{noun}", "doc": f"{verb} {noun} number {package}", "rest": "",
                        "code": f"def {verb}_{noun}(x):\n    return {noun}_{package}.{verb}(x)  # a b c d e f g h i j",
                        "calls": [verb],
                    }  # fmt: skip
                    out.write(json.dumps(record) + "\n")
                    record["code"] = record["code"].replace("calls", "x")
    (tmp_path / "pairs" / "npm+calls-1.0.0.tgz.jsonl").write_text(
        json.dumps({**record, "package": "c", "doc": "what it calls and how", "code": "a calls b\n" * 3}) + "\n"
    )
    prepare(tmp_path)
    vocabulary = json.loads((tmp_path / "vocabulary.json").read_text())
    with np.load(tmp_path / "train.npz") as data:
        asked, code = (
            {vocabulary[token] for token in data[field].tolist() if " " in vocabulary[token]}
            for field in ("doc_pairs", "code")
        )
        assert not any(" " in vocabulary[token] for token in data["doc"].tolist())
    assert asked == code == {f"{verb} {noun}" for verb in verbs for noun in nouns}
    rng = np.random.default_rng(0)
    np.savez(
        tmp_path / "float.npz",
        table=rng.normal(size=(len(vocabulary), 32)), query=np.ones(len(vocabulary)), document=np.ones(len(vocabulary)),
    )  # fmt: skip
    export(tmp_path, [tmp_path / "float.npz"], "tiny", tmp_path / "model")
    report = evaluate(tmp_path, [tmp_path / "model"], None, None, None)
    assert report["bm25"]["doc → code"]["mean"] > 0.5
    assert report[str(tmp_path / "model")]["doc → code"]["mean"] > 0.5
