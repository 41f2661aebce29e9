"""What a path alone says: whether a file is source, or one of the things that stand behind it."""

from __future__ import annotations

import pytest

from sightline.retrieval.paths import facts_of


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("api/user_pb2.py", "is_generated"),
        ("api/user.pb.go", "is_generated"),
        ("lib/model.g.dart", "is_generated"),
        ("Forms/Main.Designer.cs", "is_generated"),
        ("static/jquery.min.js", "is_generated"),
        ("src/generated/client.ts", "is_generated"),
        ("pkg/apis/zz_generated.deepcopy.go", "is_generated"),
        ("docs/conf.py", "in_documents"),
        ("doc/usage/example_google.py", "in_documents"),
        ("src/test/java/CartTest.java", "is_test"),
        ("cart_test.go", "is_test"),
        ("spec/cart_spec.rb", "is_test"),
        ("src/cart.test.ts", "is_test"),
        ("examples/cart.rs", "is_example"),
        ("CHANGES.rst", "is_document"),
    ],
)
def test_what_stands_behind_the_source_is_recognised(path: str, what: str) -> None:
    assert getattr(facts_of(path), what)


@pytest.mark.parametrize(
    "path",
    ["shop/cart.py", "src/generator.ts", "lib/documents.rb", "pkg/contest.go", "src/regenerate.rs", "distance.c"],
)
def test_source_is_source(path: str) -> None:
    facts = facts_of(path)
    assert not (facts.is_generated or facts.in_documents or facts.is_test or facts.is_example or facts.is_document)
