"""Chunks: what stays whole, where large things are cut, what is joined, and what a chunk knows of its surroundings."""

from __future__ import annotations

from sightline.indexer.analysis.chunk import MAX_BYTES, MAX_ROWS, chunk
from sightline.languages import detect, outline, parse
from sightline.types import Chunk


def chunks_of(path: str, text: str) -> list[Chunk]:
    source = text.encode()
    parsed = parse(path, detect(path, source), source)
    return chunk(parsed, outline(parsed))


def function(name: str, statements: int, indent: str = "") -> str:
    body = "".join(f"{indent}    value_{n} = compute_something({n}, other={n})\n" for n in range(statements))
    return f"{indent}def {name}(argument):\n{body}{indent}    return argument\n"


def holding(chunks: list[Chunk], text: str) -> Chunk:
    (found,) = (piece for piece in chunks if text in piece.text)
    return found


def test_an_empty_file_has_no_chunks_and_a_small_one_has_one() -> None:
    assert chunks_of("a.py", "") == []
    (only,) = chunks_of("a.py", "import os\n\nprint(os.name)\n")
    assert (only.start_line, only.end_line, only.text) == (1, 3, "import os\n\nprint(os.name)")


def test_a_function_that_fits_stays_whole_with_its_comment_and_decorator() -> None:
    text = "\n\n".join(
        [function("first", 15), "# Explains the second.\n# In two lines.\n@decorated\n" + function("second", 15),
         function("third", 15)]
    )  # fmt: skip
    second = holding(chunks_of("a.py", text), "def second")
    assert second.text.startswith("# Explains the second.\n# In two lines.\n@decorated\ndef second")
    assert "return argument" in second.text
    assert (second.symbol, second.kind, second.signature) == ("second", "function", "def second(argument)")
    assert "def third" not in second.text


def test_a_large_function_is_cut_between_statements_and_every_piece_knows_it() -> None:
    pieces = chunks_of("a.py", function("huge", 200))
    assert len(pieces) > 4
    assert {piece.symbol for piece in pieces} == {"huge"}
    assert all(len(piece.text) <= 1.2 * MAX_BYTES for piece in pieces)
    assert all("def huge(argument)" in piece.context for piece in pieces[1:])
    statement = [line for piece in pieces for line in piece.text.split("\n")[:1]][1:]
    assert all(line.startswith("    value_") for line in statement)


def test_a_statement_that_spans_lines_is_not_torn_while_it_fits() -> None:
    call = "    call(\n" + "".join(f"        argument_number_{n}={n},\n" for n in range(12)) + "    )\n"
    pieces = chunks_of("a.py", "def huge():\n" + call * 20)
    assert all(piece.text.count("call(") == piece.text.count("\n    )") for piece in pieces)


def test_a_large_class_becomes_its_header_and_its_members() -> None:
    members = "\n".join(function(f"method_{n}", 14, "    ") for n in range(6))
    pieces = chunks_of(
        "shop/cart.py", f'class Cart(Base):\n    """Holds what is bought. Until it is paid."""\n\n{members}'
    )
    assert pieces[0].text.startswith("class Cart(Base):")
    third = holding(pieces, "def method_3(")
    assert (third.symbol, third.kind) == ("Cart.method_3", "method")
    assert "return argument" in third.text
    assert "class Cart(Base)" in third.context
    assert "Holds what is bought." in third.context
    assert "shop cart.py" in third.context


def test_small_neighbours_are_joined() -> None:
    text = "\n\n".join(f"def small_{n}():\n    return {n}\n" for n in range(10))
    (only,) = chunks_of("a.py", text)
    assert only.symbol == ""
    many = chunks_of("a.py", "\n\n".join(f"def small_{n}():\n    return {n}\n" for n in range(200)))
    assert all(piece.text.count("def ") > 10 for piece in many[:-1])


def test_a_method_is_not_joined_with_what_follows_its_class() -> None:
    text = f"class A:\n{function('long_one', 60, '    ')}\n\ndef after():\n    return 1\n"
    after = chunks_of("a.py", text)[-1]
    assert after.text.strip().startswith("def after")


def test_a_comment_behind_code_does_not_glue_the_next_statement_to_it() -> None:
    lines = "".join(f"value_{n} = compute_something({n}, other={n})  # note\n" for n in range(80))
    pieces = chunks_of("a.py", lines)
    assert len(pieces) > 2
    assert all(len(piece.text) <= MAX_BYTES for piece in pieces)


def test_imports_that_a_chunk_uses_are_in_its_context() -> None:
    text = (
        "from billing.invoices import InvoiceStore\nimport unrelated.things\n\n"
        + function("padding", 50)
        + "\n\ndef pay(identifier):\n    return InvoiceStore().load(identifier)\n"
        + "".join(f"# filler line number {n} with some words in it\n" for n in range(20))
    )
    pay = holding(chunks_of("a.py", text), "def pay")
    assert "billing invoices InvoiceStore" in pay.context
    assert "unrelated" not in pay.context
    go = 'package a\n\nimport (\n\t"fmt"\n\t"example.com/app/store"\n)\n\n' + "".join(
        f"func F{n}() {{\n\tfmt.Println({n})\n\tfmt.Println({n})\n}}\n\n" for n in range(60)
    )
    last = chunks_of("a.go", go)[-1]
    assert "fmt" in last.context
    assert "store" not in last.context


def test_lines_are_those_on_disk_for_any_line_end() -> None:
    for end in ("\n", "\r\n"):
        text = end.join(["a = 1", "", "def f():", "    return 2\x0c", "", "b = '\u2028'", ""])
        (only,) = chunks_of("a.py", text)
        assert (only.start_line, only.end_line) == (1, 6)
        assert "\r" not in only.text


def test_an_enormous_line_stays_one_chunk_of_its_own() -> None:
    pieces = chunks_of("a.txt", "first\n\n" + "word " * 4000 + "\n\nlast\n")
    assert [piece.text for piece in pieces if len(piece.text) > MAX_BYTES] == ["word " * 4000]


def test_no_chunk_has_too_many_rows() -> None:
    pieces = chunks_of("a.txt", "x\n" * 1000)
    assert max(piece.end_line - piece.start_line + 1 for piece in pieces) <= MAX_ROWS


def test_markdown_is_cut_at_headings_and_a_chunk_knows_the_path_of_headings() -> None:
    words = "Some words about it, and then some more of them. " * 12 + "\n"
    text = f"# Guide\n\nIntro.\n\n## Install\n\n{words}\n### On Linux\n\n{words}\n## Use\n\n{words}\n"
    pieces = chunks_of("docs/guide.md", text)
    linux = holding(pieces, "### On Linux")
    assert (linux.symbol, linux.kind) == ("Guide > Install > On Linux", "document")
    assert "Guide > Install" in linux.context
    assert holding(pieces, "## Use").symbol == "Guide > Use"


def test_data_is_cut_at_its_keys() -> None:
    entries = ",\n".join(f'    "key_{n}": "a value that is a little longer {n}"' for n in range(30))
    text = f'{{\n  "first": {{\n{entries}\n  }},\n  "second": {{\n{entries}\n  }}\n}}\n'
    pieces = chunks_of("a.json", text)
    assert {piece.symbol for piece in pieces} >= {"first", "second"}
    assert {piece.kind for piece in pieces} == {"document"}


def test_members_outside_their_type_know_it() -> None:
    body = "".join(f"        let value_{n} = compute({n});\n" for n in range(30))
    methods = "\n".join(f"    pub fn method_{n}(&self) {{\n{body}    }}\n" for n in range(4))
    text = f"/// Holds things.\npub struct Cart {{\n    items: Vec<u8>,\n}}\n\nimpl Cart {{\n{methods}}}\n"
    piece = holding(chunks_of("cart.rs", text), "fn method_2")
    assert piece.symbol == "Cart.method_2"
    assert "pub struct Cart Holds things." in piece.context
