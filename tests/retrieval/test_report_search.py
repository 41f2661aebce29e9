"""A pasted issue or stack trace finds the functions it is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from sightline.embed import Embedder
from sightline.retrieval.report import FILES as FILES_NAMED
from sightline.retrieval.research import research
from sightline.retrieval.search import search
from sightline.store import Snapshot
from sightline.types import Filters, Hit, Object, Query, SearchResult
from tests.support.indexes import index_folder, write_files

CART = '''"""The cart of a customer."""

from shop.pricing import discounted


class Cart:
    """What a customer is going to buy."""

    def add_item(self, item, count=1):
        """Put an item into the cart."""
        self.items.append((item, count))
        return self.refresh_total()

    def refresh_total(self):
        """Work the total out again."""
        self.total = sum(discounted(item) * count for item, count in self.items)

    def remove_item(self, item):
        """Take an item out of the cart."""
        self.items = [held for held in self.items if held[0] != item]

    def clear(self):
        """Forget all items."""
        self.items = []
'''
PRICING = '''"""Prices and discounts."""

SPRING = "spring"


def discounted(item):
    """The price of an item after its discount."""
    if item.discount not in known_discounts():
        raise LookupError(f"discount {item.discount!r} is not known")
    return item.price * (1 - item.discount)


def known_discounts():
    """The discounts that may be given."""
    return {SPRING: 0.1}
'''
FILES = {
    "shop/cart.py": CART,
    "shop/pricing.py": PRICING,
    "shop/mail.py": "def send_receipt(cart):\n    '''Mail a receipt of the cart.'''\n    return cart.total\n",
    "shop/stock.py": "def reserve(item, count):\n    '''Keep an item for a cart.'''\n    return item.id, count\n",
    "shop/users.py": "def sign_in(name):\n    '''Let a customer in.'''\n    return name\n",
    "tests/test_cart.py": "def test_add_item_keeps_the_discount():\n    cart.add_item(item)\n    assert cart.total\n",
    "docs/changelog.md": "# Changes\n\n- `Cart.add_item` keeps the discount, the total too (refresh_total)\n",
    "examples/add_item.py": "def example(cart, discount):\n    '''Add an item.'''\n    cart.add_item(discount)\n",
}
TRACE = """Traceback (most recent call last):
  File "/venv/lib/python3.12/site-packages/shop/cart.py", line 512, in add_item
    return self.refresh_total()
  File "/venv/lib/python3.12/site-packages/shop/cart.py", line 516, in refresh_total
    self.total = sum(discounted(item) * count for item, count in self.items)
  File "/venv/lib/python3.12/site-packages/shop/pricing.py", line 309, in discounted
    raise LookupError(f"discount {item.discount!r} is not known")
LookupError: discount 'summer' is not known"""
ISSUE = """The total is wrong after an item was added twice

When I call `Cart.add_item` with the same item twice, the total of the cart counts its discount only once. I expected
that refresh_total works the discount out for each of them.

```python
cart = Cart()
cart.add_item(apple)
cart.add_item(apple)
print(cart.total)
```
"""

Ask = Callable[..., list[Hit]]


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Snapshot:
    root = tmp_path_factory.mktemp("reported")
    write_files(root, FILES)
    return index_folder(root, tmp_path_factory.mktemp("reported-index"), embedder)


@pytest.fixture
def ask(snapshot: Snapshot, embedder: Embedder) -> Ask:
    def asked(text: str, **arguments: object) -> list[Hit]:
        return list(search(snapshot, Query(text, **arguments), embedder=embedder).hits)  # type: ignore[arg-type]

    return asked


def names(hits: list[Hit]) -> list[str]:
    return [hit.item.qualified_name if isinstance(hit.item, Object) else hit.path for hit in hits]


def test_a_pasted_trace_gives_its_frames_first_the_innermost_on_top(ask: Ask) -> None:
    hits = ask(TRACE)
    assert names(hits)[:3] == ["discounted", "Cart.refresh_total", "Cart.add_item"]
    assert {hit.match_type for hit in hits[:3]} == {"symbol"}


def test_failing_test_output_gives_the_source_before_the_test(ask: Ask) -> None:
    output = """=================================== FAILURES ===================================
tests/test_cart.py:2: in test_add_item_keeps_the_discount
    cart.add_item(item)
shop/cart.py:14: in add_item
    return self.refresh_total()
E   AttributeError: 'Cart' object has no attribute 'items'
"""
    found = names(ask(output))
    assert found[0] == "Cart.add_item"
    assert "test_add_item_keeps_the_discount" in found


def test_several_functions_of_the_file_that_an_issue_is_about_come(ask: Ask) -> None:
    assert set(names(ask(ISSUE))[:2]) == {"Cart.add_item", "Cart.refresh_total"}


def test_what_the_function_of_an_issue_calls_in_its_file_comes_with_it(tmp_path: Path, embedder: Embedder) -> None:
    padding = "".join(f"def step_{n}(x):\n    return x + {n}\n\n\n" for n in range(80))
    export = 'def export_orders(orders):\n    """Export orders as CSV."""\n    return _quoted(orders)\n\n\n'
    helper = "def _quoted(x):\n    return x\n\n\n"
    others = {f"shop/other_{n}.py": f"def order_{n}(orders):\n    return orders\n" for n in range(120)}
    write_files(tmp_path / "root", {"shop/export.py": export + padding + helper, **others})
    snapshot = index_folder(tmp_path / "root", tmp_path / "index", embedder)
    issue = (
        "The CSV of orders cannot be opened\n\n" + "When I call `export_orders`, a spreadsheet shows one column. " * 3
    )
    hits = search(snapshot, Query(issue, explain=True), embedder=embedder).hits
    assert names(list(hits))[0] == "export_orders"
    (found,) = (hit for hit in hits if isinstance(hit.item, Object) and hit.item.name == "_quoted")
    assert found.why["called"] > 0
    unaware = search(snapshot, Query(issue), embedder=embedder, without=frozenset({"called"})).hits
    assert "_quoted" not in names(list(unaware))


def test_a_word_that_one_of_the_likely_functions_has_alone_brings_it_up(tmp_path: Path, embedder: Embedder) -> None:
    def exporter(name: str, line: str) -> str:
        return (
            f"def export_{name}(orders):\n    rows = [order.total for order in orders]\n    {line}\n    return rows\n"
        )

    files = {f"shop/{name}.py": exporter(name, "rows.sort()") for name in ("csv", "html", "json", "pdf", "text", "xml")}
    write_files(tmp_path / "root", {**files, "shop/mail.py": exporter("mail", "rows.sort(key=locale_of)")})
    snapshot = index_folder(tmp_path / "root", tmp_path / "index", embedder)
    issue = "Exported orders are sorted wrongly\n\n" + "The total of the orders that I export ignores the locale. " * 3
    hits = search(snapshot, Query(issue, explain=True), embedder=embedder).hits
    added = {hit.path: hit.why.get("telling", 0.0) for hit in hits if isinstance(hit.item, Object)}
    assert max(added, key=lambda path: added[path]) == "shop/mail.py"
    assert added["shop/mail.py"] > 2 * added["shop/csv.py"]


def test_a_short_question_is_ranked_without_the_signals_of_reports(ask: Ask) -> None:
    hits = ask("where is an item added to the cart", explain=True)
    assert hits
    assert not any({"telling", "own_words", "called"} & hit.why.keys() for hit in hits)


def test_what_a_function_calls_keeps_to_the_filters(tmp_path: Path, embedder: Embedder) -> None:
    write_files(
        tmp_path / "root", {**FILES, "shop/cart.py": CART + "\n\ndef test_total(cart):\n    return Cart.add_item\n"}
    )
    snapshot = index_folder(tmp_path / "root", tmp_path / "index", embedder)
    hits = search(snapshot, Query(ISSUE, filters=Filters(exclude_filter=("cart.py",))), embedder=embedder).hits
    assert {hit.path for hit in hits}.isdisjoint({"shop/cart.py"})


def test_however_many_functions_a_file_has_the_first_ten_places_show_other_files(
    tmp_path: Path, embedder: Embedder
) -> None:
    invoices = "\n\n".join(
        f"def invoice_total_{n}(invoice):\n    '''The total of an invoice, rounded.'''\n    return invoice.total // {n}"
        for n in range(20)
    )
    others = {f"shop/{name}.py": f"def {name}(total):\n    return total\n" for name in ("tax", "print_sums", "export")}
    write_files(tmp_path / "root", {"shop/invoices.py": invoices + "\n", **others})
    snapshot = index_folder(tmp_path / "root", tmp_path / "index", embedder)
    text = "The total of an invoice is rounded\n\n" + "The total of every invoice that I print is rounded wrongly. " * 3
    assert snapshot is not None
    hits = search(snapshot, Query(text, limit=20), embedder=embedder).hits
    paths = [hit.path for hit in hits]
    assert paths[0] == "shop/invoices.py"
    assert len(set(paths[:10])) >= 3
    assert paths[10:13] == ["shop/invoices.py"] * 3  # what made room comes right behind
    assert sorted((hit.score for hit in hits), reverse=True) == [hit.score for hit in hits]


def test_the_constructor_of_a_class_that_an_issue_names_comes(tmp_path: Path, embedder: Embedder) -> None:
    ledger = (
        "class Ledger:\n"
        "    def __init__(self, opened):\n        self.since = opened\n\n"
        + "\n\n".join(f"    def entry_{n}(self):\n        return self.since + {n}" for n in range(12))
        + "\n"
    )
    write_files(tmp_path / "root", {"shop/ledger.py": ledger, "shop/users.py": FILES["shop/users.py"]})
    snapshot = index_folder(tmp_path / "root", tmp_path / "index", embedder)
    text = "`Ledger` takes any date\n\n" + "I made a `Ledger` of a date that lies in the future. " * 3
    assert snapshot is not None
    plain = search(snapshot, Query(text, limit=3), embedder=embedder, without=frozenset({"makes"})).hits
    hits = search(snapshot, Query(text, limit=3), embedder=embedder).hits
    names = [hit.item.name for hit in hits if isinstance(hit.item, Object)]
    assert names[0] == "__init__"
    assert [hit.item.name for hit in plain if isinstance(hit.item, Object)][:1] != ["__init__"]


def test_tests_change_logs_and_examples_stand_behind_the_source(ask: Ask) -> None:
    paths = [hit.path for hit in ask(ISSUE, limit=50)]
    behind = {"tests/test_cart.py", "docs/changelog.md", "examples/add_item.py"}
    assert behind <= set(paths)
    first_behind = min(paths.index(path) for path in behind)
    assert {"shop/cart.py", "shop/pricing.py"} <= set(paths[:first_behind])


@pytest.mark.parametrize(
    ("title", "first"),
    [
        ("A test that adds an item twice fails: the total of the discount is wrong", "shop/cart.py"),
        ("Running unittest with add_item shows the wrong discount", "shop/cart.py"),
        ("Add a test for add_item and its discount", "tests/test_cart.py"),
        ("Missing test coverage of add_item: keeps the discount", "tests/test_cart.py"),
    ],
)
def test_a_title_gets_tests_first_when_it_asks_for_them_and_not_when_it_mentions_one(
    ask: Ask, title: str, first: str
) -> None:
    prose = "It happens whenever add_item is called, whatever the item is, and the discount is not kept. " * 2
    paths = [hit.path for hit in ask(f"{title}\n\n{prose}")]
    both = [path for path in paths if path in ("shop/cart.py", "tests/test_cart.py")]
    assert both[0] == first


def test_no_function_is_listed_twice_and_scores_fall(ask: Ask) -> None:
    hits = ask(ISSUE, limit=50)
    assert len({(hit.path, hit.start_line, hit.type) for hit in hits}) == len(hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(0 <= hit.score <= 1 for hit in hits)


def test_filters_hold_for_what_a_report_names(ask: Ask) -> None:
    assert {hit.path for hit in ask(TRACE, filters=Filters(file_filter=("shop/pricing.py",)))} == {"shop/pricing.py"}
    assert "shop/pricing.py" not in {hit.path for hit in ask(TRACE, filters=Filters(exclude_filter=("pricing.py",)))}


def test_chunks_alone_or_objects_alone_may_be_asked_for(ask: Ask) -> None:
    assert {hit.type for hit in ask(ISSUE, types=("chunk",))} == {"chunk"}
    assert {hit.type for hit in ask(ISSUE, types=("object",))} == {"object"}


def test_every_mode_and_strategy_takes_a_report(ask: Ask) -> None:
    for arguments in ({"mode": "bm25"}, {"mode": "vector"}, {"strategy": "weighted"}, {"rerank": False}, {"depth": 1}):
        assert ask(ISSUE, **arguments)


def test_pages_of_a_report_go_on_where_the_last_one_ended(ask: Ask) -> None:
    whole = ask(ISSUE, limit=6)
    assert [hit.id for hit in ask(ISSUE, limit=3) + ask(ISSUE, limit=3, offset=3)] == [hit.id for hit in whole]


def test_explain_names_what_a_trace_added(ask: Ask) -> None:
    first = ask(TRACE, explain=True)[0]
    assert first.why["framed"] > 0


def test_a_report_about_nothing_here_is_answered(ask: Ask) -> None:
    assert ask("zzz qqq\n" + "xyzzy plugh " * 20) == []
    assert (
        ask('Traceback\n  File "/other/thing.py", line 3, in nowhere\nKeyError: nothing here\n' + "." * 100) is not None
    )


def test_research_answers_an_issue_with_its_places(snapshot: Snapshot, embedder: Embedder) -> None:
    text = research(snapshot, TRACE, embedder=embedder).text
    assert text.index("shop/pricing.py") < text.index("shop/mail.py") if "shop/mail.py" in text else "pricing" in text
    assert research(snapshot, ISSUE + "\n\nmore words" * 5_000, embedder=embedder).text


def test_without_an_embedder_a_report_is_found_by_its_words(tmp_path: Path) -> None:
    write_files(tmp_path / "root", FILES)
    snapshot = index_folder(tmp_path / "root", tmp_path / "index", None)
    assert names(list(search(snapshot, Query(TRACE), embedder=None).hits))[0] == "discounted"


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Snapshot:
    """One file whose functions all say what the report says, and a dozen others that say it once."""
    root = tmp_path_factory.mktemp("crowded")
    invoices = "\n\n".join(
        f"def invoice_total_{n}(invoice):\n    '''The total of an invoice, rounded.'''\n    return invoice.total // {n}"
        for n in range(20)
    )
    others = {f"shop/sum_{n}.py": f"def total_{n}(total):\n    return total + {n}\n" for n in range(12)}
    tests = {"tests/test_invoices.py": "def test_the_total_of_an_invoice_is_rounded():\n    assert total\n"}
    write_files(root, {"shop/invoices.py": invoices + "\n", **others, **tests})
    return index_folder(root, tmp_path_factory.mktemp("crowded-index"), embedder)


ROUNDED = "The total of an invoice is rounded\n\n" + "The total of every invoice that I print is rounded wrongly. " * 3


def distinct(hits: Sequence[Hit]) -> list[str]:
    return list(dict.fromkeys(hit.path for hit in hits))


def named_files(found: SearchResult) -> list[str]:
    return [file.path for file in found.files]


def test_a_report_names_the_files_that_follow_those_of_its_hits(crowded: Snapshot, embedder: Embedder) -> None:
    found = search(crowded, Query(ROUNDED), embedder=embedder)
    following = search(crowded, Query(ROUNDED, limit=100), embedder=embedder)
    of_hits = distinct(found.hits)
    assert len(of_hits) < FILES_NAMED == len(found.files)
    assert named_files(found)[: len(of_hits)] == of_hits
    assert named_files(found) == distinct(following.hits)[:FILES_NAMED], "what asking for more hits would have shown"
    assert named_files(following) == distinct(following.hits), "there is enough in the hits"
    scores = {hit.path: hit.score for hit in reversed(following.hits)}
    assert [file.score for file in found.files] == [scores[path] for path in named_files(found)]


def test_named_files_keep_to_the_filters(crowded: Snapshot, embedder: Embedder) -> None:
    filters = Filters(file_filter=("shop/**",), exclude_filter=("sum_1*.py",))
    named = named_files(search(crowded, Query(ROUNDED, limit=2, filters=filters), embedder=embedder))
    assert len(named) == FILES_NAMED
    assert all(path.startswith("shop/") and not path.startswith("shop/sum_1") for path in named)


def test_no_page_names_a_file_again_for_which_it_has_no_hit(crowded: Snapshot, embedder: Embedder) -> None:
    whole = named_files(search(crowded, Query(ROUNDED, limit=100), embedder=embedder))
    seen: list[str] = []
    for offset in range(0, 30, 5):
        page = search(crowded, Query(ROUNDED, limit=5, offset=offset), embedder=embedder)
        of_hits, named = distinct(page.hits), named_files(page)
        assert named[: len(of_hits)] == of_hits
        assert not set(named[len(of_hits) :]) & {*seen, *of_hits}
        seen = list(dict.fromkeys([*seen, *of_hits]))
        together = list(dict.fromkeys([*seen, *named]))
        assert together == whole[: len(together)]
        assert len(together) == max(FILES_NAMED, len(seen)), "with the pages before it each page has named as many"


def test_a_page_behind_the_last_hit_names_no_files(crowded: Snapshot, embedder: Embedder) -> None:
    assert not search(crowded, Query(ROUNDED, offset=900), embedder=embedder).files


def test_a_root_of_few_files_has_no_more_to_name(tmp_path: Path, embedder: Embedder) -> None:
    write_files(tmp_path / "root", {"shop/cart.py": CART, "shop/pricing.py": PRICING})
    snapshot = index_folder(tmp_path / "root", tmp_path / "index", embedder)
    assert set(named_files(search(snapshot, Query(ISSUE), embedder=embedder))) == {"shop/cart.py", "shop/pricing.py"}


@pytest.mark.parametrize("arguments", [{"mode": "bm25"}, {"mode": "vector"}, {"rerank": False}, {"types": ("chunk",)}])
def test_the_named_files_are_those_of_the_list_however_it_is_ordered(
    crowded: Snapshot, embedder: Embedder, arguments: Mapping[str, Any]
) -> None:
    named = named_files(search(crowded, Query(ROUNDED, limit=2, **arguments), embedder=embedder))
    following = search(crowded, Query(ROUNDED, limit=100, **arguments), embedder=embedder)
    assert named == distinct(following.hits)[:FILES_NAMED]


def test_a_question_names_no_files(snapshot: Snapshot, crowded: Snapshot, embedder: Embedder) -> None:
    for text in ("where is an item added to the cart", "Cart.add_item", "invoice total rounded"):
        assert not search(snapshot, Query(text, limit=1), embedder=embedder).files
        assert not search(crowded, Query(text, limit=1), embedder=embedder).files


def test_research_names_as_many_files_of_a_report(crowded: Snapshot, embedder: Embedder) -> None:
    answer = research(crowded, ROUNDED, embedder=embedder)
    listed = distinct(search(crowded, Query(ROUNDED, limit=100), embedder=embedder).hits)
    source = [path for path in listed if not path.startswith("tests/")]
    [where] = [section for section in answer.sections if section.title == "Where"]
    assert [line.split("  ")[0] for line in where.lines] == source[:FILES_NAMED]
    assert set(source[:FILES_NAMED]) <= set(answer.paths)
