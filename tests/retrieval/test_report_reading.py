"""A long text is taken apart: frames of many languages, title, prose, code, names, paths, errors, versions."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.retrieval.report import MAX_REPORT_CHARS, is_report, read
from sightline.retrieval.report.frames import frames, plain_name

TRACES = {
    "python": (
        """Traceback (most recent call last):
  File "/usr/lib/python3/site-packages/shop/cart.py", line 12, in add_item
    check(item)
  File "/usr/lib/python3/site-packages/shop/checks.py", line 7, in check
    raise ValueError("no such item")
ValueError: no such item""",
        [("shop/checks.py", 7, "check"), ("shop/cart.py", 12, "add_item")],
    ),
    "ipython": (
        """~/work/shop/cart.py in add_item(self, item)
----> 12     check(item)
File ~/work/shop/checks.py:7, in check(item)""",
        [("shop/checks.py", 7, "check"), ("shop/cart.py", 0, "add_item")],
    ),
    "pytest": (
        """tests/test_cart.py:31: in test_add
    cart.add_item(None)
shop/cart.py:12: ValueError""",
        [("shop/cart.py", 12, ""), ("tests/test_cart.py", 31, "test_add")],
    ),
    "node": (
        """TypeError: Cannot read properties of undefined (reading 'id')
    at Cart.addItem (/srv/app/src/cart.js:12:9)
    at async Object.<anonymous> (file:///srv/app/src/index.mjs:3:1)
    at /srv/app/src/run.ts:44:5""",
        [("src/cart.js", 12, "addItem"), ("src/index.mjs", 3, ""), ("src/run.ts", 44, "")],
    ),
    "java": (
        """java.lang.IllegalStateException: empty
\tat com.shop.cart.Cart.add(Cart.java:12)
\tat java.base/java.util.ArrayList.forEach(ArrayList.java:1511)
\tat com.shop.MainKt.main(Main.kt:4)""",
        [
            ("com/shop/cart/Cart.java", 12, "add"),
            ("java/util/ArrayList.java", 1511, "forEach"),
            ("com/shop/Main.kt", 4, "main"),
        ],
    ),
    "go": (
        """panic: runtime error: index out of range [3]

goroutine 1 [running]:
example.com/shop/cart.(*Cart).Add(0xc000012, 0x1)
\t/home/me/shop/cart/cart.go:12 +0x1d
main.main()
\t/home/me/shop/main.go:4 +0x20""",
        [("cart/cart.go", 12, "Add"), ("shop/main.go", 4, "main")],
    ),
    "rust": (
        """thread 'main' panicked at src/cart.rs:12:5:
index out of bounds
   2: shop::cart::Cart::add
             at ./src/cart.rs:12:5
   3: shop::main
             at ./src/main.rs:4:9""",
        [("src/cart.rs", 12, ""), ("src/cart.rs", 12, "add"), ("src/main.rs", 4, "main")],
    ),
    "ruby": (
        """cart.rb:12:in `add': undefined method `id' for nil (NoMethodError)
\tfrom lib/shop/main.rb:4:in 'block in Shop::Main#run'""",
        [("cart.rb", 12, "add"), ("lib/shop/main.rb", 4, "run")],
    ),
    "php": (
        """PHP Fatal error:  Uncaught Error: Call to a member function id() on null in /srv/src/Cart.php:12
#0 /srv/src/Main.php(4): Shop\\Cart->add(NULL)
#1 {main}""",
        [("src/Cart.php", 12, ""), ("src/Main.php", 4, "add")],
    ),
    "csharp": (
        """System.NullReferenceException: Object reference not set
   at Shop.Cart.Add(Item item) in C:\\src\\Shop\\Cart.cs:line 12
   at Shop.Program.Main(String[] args) in /src/Shop/Program.cs:line 4""",
        [("src/Shop/Cart.cs", 12, "Add"), ("Shop/Program.cs", 4, "Main")],
    ),
    "c": (
        """#0  0x00007f in cart_add (cart=0x0, item=0x1) at src/cart.c:12
#1  0x00008f in main () at src/main.c:4
    #0 0x4f3 in cart_free /src/shop/src/cart.c:30:5""",
        [("src/cart.c", 12, "cart_add"), ("src/main.c", 4, "main"), ("src/cart.c", 30, "cart_free")],
    ),
    "elixir": (
        """** (ArgumentError) no item
    (shop 0.1.0) lib/shop/cart.ex:12: Shop.Cart.add/2
    lib/shop/main.ex:4: Shop.Main.run/0""",
        [("lib/shop/cart.ex", 12, "add"), ("lib/shop/main.ex", 4, "run")],
    ),
}


@pytest.mark.parametrize("language", TRACES)
def test_traces_of_many_languages_give_their_places_innermost_first(language: str) -> None:
    text, expected = TRACES[language]
    found, _ = frames(text.split("\n"))
    assert len(found) == len(expected)
    for frame, (path, line, name) in zip(found, expected, strict=True):
        assert frame.path.endswith(path)
        assert (frame.line, frame.name) == (line, name)
    assert is_report(text)


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ("(*Handler).ServeHTTP", "ServeHTTP"),
        ("pkg.Run.func1.2", "Run"),
        ("shop::cart::Cart::add::{{closure}}", "add"),
        ("Object.<anonymous>", ""),
        ("<module>", ""),
        ("Shop\\Cart->add", "add"),
    ],
)
def test_a_printed_function_is_known_by_its_plain_name(printed: str, name: str) -> None:
    assert plain_name(printed) == name


ISSUE = """`Cart.add_item` loses the discount
<!-- please search before you open an issue -->
### Description
Since 2.1.3 the discount of shop.pricing.Discount is lost, see src/shop/pricing.py:40 and
https://github.com/shop/shop/blob/main/src/shop/cart.py#L12.

```python
from shop import Cart
cart = Cart()
cart.add_item(apple)
```

Output:
```
Traceback (most recent call last):
  File "/x/shop/cart.py", line 12, in add_item
    self.total(apply=True)
shop.errors.DiscountError: discount 'spring' is not known
```

- [x] I have read the manual
python: 3.8.2
"""


def test_an_issue_is_read_by_its_parts() -> None:
    report = read(ISSUE)
    assert report.title == "`Cart.add_item` loses the discount"
    assert "Since 2.1.3 the discount" in report.prose
    assert "search before" not in report.prose
    assert "manual" not in report.prose + report.code + report.output
    assert "cart.add_item(apple)" in report.code
    assert report.errors == ("discount 'spring' is not known",)
    assert [(frame.path, frame.line) for frame in report.frames] == [("/x/shop/cart.py", 12)]
    assert {("src/shop/pricing.py", 40), ("src/shop/cart.py", 12)} == {(p.path, p.line) for p in report.locations}
    assert "src/shop/pricing.py" in report.paths
    assert {"2.1.3", "3.8.2"} <= set(report.versions)


def test_a_name_says_more_in_the_title_than_in_an_example() -> None:
    report = read(ISSUE)
    assert report.names["add_item"] > report.names["apple"]
    assert "shop.pricing.Discount" in report.qualified
    assert not {"self", "True", "python"} & set(report.names)


def test_questions_are_no_reports() -> None:
    assert not is_report("how does the cart add an item")
    assert not is_report("how does the cart\nadd an item")
    assert not is_report("  Cart.add_item  \n")
    assert not is_report("where is the discount of an item worked out, " * 10)
    assert is_report("the discount is lost when an item is added twice\n\n" + "and the total is then too high. " * 4)


def test_text_beyond_the_limit_is_cut() -> None:
    report = read("a title\n" + "x y\n" * MAX_REPORT_CHARS)
    assert len(report.prose) <= MAX_REPORT_CHARS


_PIECES = st.sampled_from(
    [
        *(text for text, _ in TRACES.values()), ISSUE, "```", "a.b.c", "/", "x/", ".py", ":1", "(", " ", "    ", "\t",
        "Error: ", "at ", "in ", "::", "{{{", "<!--", "-->", "a_b", "1.2.", "`", "'", "File \"", "\n", "\r\n", "\0",
    ]
)  # fmt: skip


@given(st.lists(st.one_of(_PIECES, st.text(max_size=40)), max_size=40).map("".join))
@settings(max_examples=60)
def test_any_text_is_read(text: str) -> None:
    report = read(text)
    assert all(frame.line >= 0 and frame.path for frame in (*report.frames, *report.locations))
    assert all(worth > 0 for worth in (*report.names.values(), *report.qualified.values()))
    is_report(text)


@pytest.mark.parametrize(
    "piece",
    [
        "a.", "a/", "a b ", "    ", "at a.b(", "1.", "a:1 ", "x" * 600 + "\n", "Error: ", "`a` ", "File \"a\", ",
        "<!--", "[", "#0 a", "a::b", "a_B.c/d:", "(a) ", "- [ ", "A.A.", "../", "a-a@", "E  ",
    ],
)  # fmt: skip
def test_no_text_of_any_shape_takes_long(piece: str) -> None:
    """What a pattern could go back and forth over is tried at full length, as one line and as many."""
    whole = piece * (MAX_REPORT_CHARS // len(piece))
    for text in (whole, "\n".join(whole[i : i + 590] for i in range(0, len(whole), 590))):
        began = time.process_time()
        is_report(text)
        read(text)
        assert time.process_time() - began < 5
