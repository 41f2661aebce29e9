"""What a change touches: symbols, who depends on them, tests, public API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from sightline.changes.asked import Asked
from sightline.changes.model import Report
from sightline.server.answers import changes as answers
from sightline.wire import ChangesOut, FileChangeOut, SymbolChangedOut, fields_of
from tests.changes.conftest import FILES, Shop
from tests.support.hostile import git
from tests.support.indexes import write_files

Statuses = Callable[[Report], dict[str, str]]


def test_an_unchanged_tree_has_no_changes(shop: Shop) -> None:
    found = shop.report()
    assert found.compared.files == ()
    assert found.symbols == ()
    assert found.tests == ()


def test_a_body_that_changed_reaches_its_callers_and_their_tests(shop: Shop, statuses: Statuses) -> None:
    shop.edit("shop/prices.py", "return amount * RATE", "return amount * RATE * 1")
    found = shop.report()
    assert statuses(found) == {"tax": "body"}
    assert [(r.item.qualified_name, r.distance) for r in found.reached] == [("gross", 1), ("Cart.total", 2)]
    assert [test.id for test in found.tests] == [
        "tests/test_prices.py::test_gross",
        "tests/test_cart.py::TestCart::test_total",
    ]
    assert found.api == []


def test_a_test_that_gets_its_subject_from_a_fixture_is_found(shop: Shop) -> None:
    shop.edit("shop/cart.py", "self.items: list[float] = []", "self.items: list[float] = [0.0]")
    assert [test.id for test in shop.report().tests] == ["tests/test_cart.py::TestCart::test_total"]


def test_a_changed_signature_of_something_public_is_api(shop: Shop, statuses: Statuses) -> None:
    shop.edit("shop/prices.py", "def gross(amount: float)", "def gross(amount: float, rate: float = RATE)")
    shop.edit("shop/prices.py", "def _rounded(amount: float)", "def _rounded(amount: float, digits: int = 2)")
    found = shop.report()
    assert statuses(found) == {"gross": "signature", "_rounded": "signature"}
    assert [change.item.qualified_name for change in found.api] == ["gross"]


def test_what_is_gone_is_named_where_it_is_still_used(shop: Shop, statuses: Statuses) -> None:
    shop.edit("shop/prices.py", "def tax(amount: float) -> float:\n    return amount * RATE\n\n\n", "")
    found = shop.report()
    assert statuses(found)["tax"] == "removed"
    assert found.mentions == ()  # a name of three letters stands everywhere
    shop.edit("shop/prices.py", "def gross", "def with_tax")
    found = shop.report()
    assert statuses(found)["with_tax"] == "renamed"
    assert {(mention.name, mention.path) for mention in found.mentions} == {
        ("gross", "shop/cart.py"),
        ("gross", "tests/test_prices.py"),
    }


def test_a_function_that_moved_to_another_file_is_moved(shop: Shop, statuses: Statuses) -> None:
    text = "def _rounded(amount: float) -> float:\n    return round(amount, 2)\n"
    shop.edit("shop/prices.py", text, "")
    shop.write(shop__rounding=text)
    found = shop.report()
    assert {name: status for name, status in statuses(found).items() if name == "_rounded"} == {"_rounded": "moved"}


def test_a_file_that_was_renamed_and_edited_is_one_file(shop: Shop, statuses: Statuses) -> None:
    git(shop.root, "mv", "shop/prices.py", "shop/taxes.py")
    shop.edit("shop/taxes.py", "return amount * RATE", "return amount * RATE * 1")
    assert statuses(shop.report()) == {"shop.taxes": "moved", "tax": "body"}


def test_a_class_that_came_is_told_once_and_not_with_every_member(shop: Shop, statuses: Statuses) -> None:
    shop.write(shop__order="class Order:\n    def pay(self) -> None:\n        pass\n")
    assert statuses(shop.report()) == {"Order": "added"}


def test_a_removed_file_takes_its_symbols_along(shop: Shop, statuses: Statuses) -> None:
    (shop.root / "shop/cart.py").unlink()
    found = shop.report()
    assert statuses(found) == {"Cart": "removed"}
    assert [file.status for file in found.compared.files] == ["removed"]
    assert [change.item.qualified_name for change in found.api] == ["Cart"]


def test_overrides_of_a_changed_method_must_follow(shop: Shop) -> None:
    shop.write(
        shop__gift="from shop.cart import Cart\n\n\n"
        "class GiftCart(Cart):\n    def total(self) -> float:\n        return 0\n"
    )
    shop.commit("gift")
    shop.edit("shop/cart.py", "def total(self)", "def total(self, rounded: bool = False)")
    found = shop.report()
    assert [(r.item.qualified_name, r.through) for r in found.followers] == [("GiftCart.total", "overrides")]


def test_who_names_a_changed_constant_depends_on_it(shop: Shop, statuses: Statuses) -> None:
    shop.edit("shop/prices.py", "RATE = 0.19", "RATE = 0.20")
    found = shop.report()
    assert statuses(found) == {"RATE": "signature"}
    assert found.reached[0].item.qualified_name == "tax"
    assert "tests/test_prices.py::test_gross" in [test.id for test in found.tests]


def test_a_changed_test_is_run_first(shop: Shop) -> None:
    shop.edit("tests/test_prices.py", "assert True", "assert 1")
    assert [test.id for test in shop.report().tests] == ["tests/test_prices.py::test_nothing"]


def test_an_edit_of_prose_changes_no_symbol(shop: Shop) -> None:
    shop.edit("README.md", "# Shop", "# The shop")
    found = shop.report()
    assert [file.path for file in found.compared.files] == ["README.md"]
    assert found.symbols == ()


def test_two_commits_are_compared_whatever_is_on_disk(shop: Shop, statuses: Statuses) -> None:
    shop.edit("shop/prices.py", "return amount * RATE", "return RATE * amount")
    shop.commit("second")
    (shop.root / "shop/cart.py").unlink()
    assert statuses(shop.report(Asked(commits="HEAD~1..HEAD"))) == {"tax": "body"}


def test_three_dots_compare_with_where_the_branches_parted(shop: Shop, statuses: Statuses) -> None:
    git(shop.root, "checkout", "-qb", "topic")
    shop.edit("shop/prices.py", "return amount * RATE", "return RATE * amount")
    shop.commit("topic")
    git(shop.root, "checkout", "-q", "main")
    shop.edit("shop/cart.py", "return sum(", "return 0 + sum(")
    shop.commit("main goes on")
    assert statuses(shop.report(Asked(commits="main...topic"))) == {"tax": "body"}
    assert statuses(shop.report(Asked(commits="main..topic"))) == {"tax": "body", "Cart.total": "body"}


def test_a_branch_is_reviewed_with_what_is_not_committed_yet(shop: Shop, statuses: Statuses) -> None:
    git(shop.root, "checkout", "-qb", "topic")
    shop.edit("shop/prices.py", "return amount * RATE", "return RATE * amount")
    shop.commit("topic")
    git(shop.root, "checkout", "-q", "main")
    shop.edit("README.md", "# Shop", "# The shop")
    shop.commit("main goes on")
    git(shop.root, "checkout", "-q", "topic")
    shop.edit("shop/cart.py", "return sum(", "return 0 + sum(")
    found = shop.report(Asked(base="main"))
    assert statuses(found) == {"tax": "body", "Cart.total": "body"}
    assert "left at" in found.compared.title


def test_a_merge_is_compared_with_its_first_parent(shop: Shop, statuses: Statuses) -> None:
    git(shop.root, "checkout", "-qb", "topic")
    shop.edit("shop/prices.py", "return amount * RATE", "return RATE * amount")
    shop.commit("topic")
    git(shop.root, "checkout", "-q", "main")
    shop.edit("shop/cart.py", "return sum(", "return 0 + sum(")
    shop.commit("main goes on")
    git(shop.root, "merge", "-q", "--no-edit", "topic")
    assert statuses(shop.report(Asked(commits="HEAD^1..HEAD"))) == {"tax": "body"}
    assert statuses(shop.report(Asked(commits="HEAD^2..HEAD"))) == {"Cart.total": "body"}


def test_staged_and_unstaged_are_told_apart(shop: Shop, statuses: Statuses) -> None:
    shop.edit("shop/prices.py", "return amount * RATE", "return RATE * amount")
    git(shop.root, "add", "-A")
    shop.edit("shop/cart.py", "return sum(", "return 0 + sum(")
    assert statuses(shop.report(Asked(staged=True))) == {"tax": "body"}
    assert statuses(shop.report()) == {"tax": "body", "Cart.total": "body"}


def test_a_root_below_the_repository_sees_its_own_files_alone(shop: Shop, statuses: Statuses) -> None:
    shop.edit("shop/prices.py", "return amount * RATE", "return RATE * amount")
    shop.edit("tests/test_prices.py", "assert True", "assert 1")
    found = shop.report(root=shop.root / "shop")
    assert [file.path for file in found.compared.files] == ["prices.py"]
    assert statuses(found) == {"tax": "body"}


def test_a_staged_file_that_was_put_back_on_disk_is_no_change(shop: Shop) -> None:
    shop.edit("shop/prices.py", "return amount * RATE", "return RATE * amount")
    git(shop.root, "add", "-A")
    (shop.root / "shop/prices.py").write_text(str(FILES["shop/prices.py"]))
    assert shop.report().compared.files == ()


def test_the_data_of_a_report_is_what_the_wire_declares(shop: Shop) -> None:
    shop.edit("shop/prices.py", "return amount * RATE", "return amount * RATE * 2")
    data = answers.data(shop.report(), 1)

    assert list(data) == list(fields_of(ChangesOut))
    for name, kind in (("files", FileChangeOut), ("symbols", SymbolChangedOut)):
        rows = cast(dict[str, Any], data)[name]
        assert rows, name
        assert set(rows[0]) == set(fields_of(kind)), name


def test_a_function_inside_a_test_is_run_by_the_test_around_it(shop: Shop) -> None:
    """No runner takes `test_gross::test_inner`: it would run nothing at all."""
    shop.write(
        tests__test_prices=(
            "from shop.prices import gross\n\n\ndef test_gross() -> None:\n"
            "    def test_inner() -> None:\n        assert gross(1) > 1\n\n    test_inner()\n"
        )
    )
    shop.commit("a function inside a test")
    shop.edit("shop/prices.py", "amount + tax(amount)", "tax(amount) + amount")
    found = shop.report()
    ids = {test.id for test in (*found.tests, *found.unlikely_tests)}
    assert "tests/test_prices.py::test_gross" in ids
    assert not [test for test in ids if "test_inner" in test]


def test_a_test_that_stands_in_a_changed_module_is_not_said_to_have_changed_itself(shop: Shop) -> None:
    shop.edit("tests/test_prices.py", "import gross\n", "import gross, tax\n")
    shop.edit("tests/test_prices.py", "assert gross(1) > 1", "assert gross(1) > 1.0")
    reasons = {test.id.rpartition("::")[2]: test.reason for test in shop.report().tests}
    assert reasons["test_gross"] == "changed itself"
    assert reasons["test_nothing"] == "in tests.test_prices, which changed"


def test_every_stage_is_measured(shop: Shop) -> None:
    shop.edit("shop/prices.py", "0.19", "0.2")
    timings = shop.report().timings_ms
    assert {"git", "contents", "symbols", "reach", "tests", "history", "records", "mentions", "routes"} == set(timings)


def test_a_class_inside_a_test_inherits_no_tests(shop: Shop) -> None:
    shop.write(
        tests__test_cart=(
            "from shop.cart import Cart\n\n\nclass Base:\n    def test_total(self) -> None:\n"
            "        assert Cart().total() == 0\n\n\ndef test_local() -> None:\n"
            "    class Local(Base):\n        pass\n\n    Local().test_total()\n"
        )
    )
    shop.commit("a class inside a test")
    shop.edit("shop/prices.py", "amount + tax(amount)", "tax(amount) + amount")
    found = shop.report()
    ids = {test.id for test in (*found.tests, *found.unlikely_tests)}
    assert {"tests/test_cart.py::Base::test_total", "tests/test_cart.py::test_local"} <= ids
    assert not [test for test in ids if "Local" in test]


def test_a_name_that_nobody_can_look_up_is_not_listed(shop: Shop) -> None:
    write_files(
        shop.root,
        {
            "shape.go": "package shop\n\ntype Shape interface{ Area() int }\n\nvar _ Shape = Square{}\n",
            "square.go": "package shop\n\ntype Square struct{}\n\nfunc (s Square) Area() int { return 1 }\n\n"
            "func Sum() int { return Square{}.Area() }\n",
        },
    )
    shop.commit("shapes")
    shop.edit("square.go", "return 1", "return 2")
    reached = {one.item.name for one in shop.report().reached}
    assert "Sum" in reached
    assert "_" not in reached
