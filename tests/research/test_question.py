"""Questions are understood by their phrasing, in the words of several languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.retrieval.research.names import _Areas
from sightline.retrieval.research.question import readings, subject_of


@pytest.mark.parametrize(
    ("question", "kind", "subjects"),
    [
        ("implementations of AuthProtocol", "implementations", ["AuthProtocol"]),
        ("Which classes conform to the `Codec` protocol?", "implementations", ["Codec"]),
        ("subclasses of abstract class Shape", "implementations", ["Shape"]),
        ("which structs implement the Store interface", "implementations", ["Store"]),
        ("find all overrides of render", "implementations", ["render"]),
        ("who extends BaseHandler?", "implementations", ["BaseHandler"]),
        ("types that derive from the Node trait", "implementations", ["Node"]),
        ("superclasses of Dog", "bases", ["Dog"]),
        ("if I rename Blueprint.register what else must change?", "impact", ["Blueprint.register"]),
        ("what happens during a request from wsgi_app on?", "trace", ["wsgi_app"]),
        ("is anyone using SessionStore at all?", "uses", ["SessionStore"]),
        ("what's extending BaseHandler", "implementations", ["BaseHandler"]),
        ("what kinds of Transport are there?", "implementations", ["Transport"]),
        ("who would be affected if we removed parse_config?", "impact", ["parse_config"]),
        ("I want to delete legacy_login, what would break?", "impact", ["legacy_login"]),
        ("what should we retest after changing Money.add", "impact", ["Money.add"]),
        ("does someone still call Cache.clear?", "callers", ["Cache.clear"]),
        ("Which functions are calling open_session right now?", "callers", ["open_session"]),
        ("Sessions leak. Who calls SessionStore.close?", "callers", ["SessionStore.close"]),
        ("tell me how run gets to flush_all", "path", ["run", "flush_all"]),
        ("what protocols does Session conform to", "bases", ["Session"]),
        ("what calls login()", "callers", ["login"]),
        ("callers of AuthService.login through the chain", "callers", ["AuthService.login"]),
        ("where is parse_config called from?", "callers", ["parse_config"]),
        ("is parse_config dead code?", "callers", ["parse_config"]),
        ("Please show me who invokes Session::send", "callers", ["Session::send"]),
        ("who uses AuthService", "uses", ["AuthService"]),
        ("Where is `retry` used?", "uses", ["retry"]),
        ("references to MAX_SIZE", "uses", ["MAX_SIZE"]),
        ("what does Router.dispatch call", "callees", ["Router.dispatch"]),
        ("trace the call graph starting at main()", "trace", ["main"]),
        ("call hierarchy of handle_request", "trace", ["handle_request"]),
        ("what happens when login is called", "trace", ["login"]),
        ("path from main to save_user", "path", ["main", "save_user"]),
        ("how does handle_request reach Database.execute?", "path", ["handle_request", "Database.execute"]),
        ("can main ever call Database.drop", "path", ["main", "Database.drop"]),
        ("dependencies between auth and storage", "dependencies", ["auth", "storage"]),
        ("does web depend on storage?", "dependencies", ["web", "storage"]),
        ("what does the auth package depend on", "dependencies", ["auth"]),
        ("what depends on src/auth", "dependents", ["src/auth"]),
        ("which modules import utils.text?", "dependents", ["utils.text"]),
        ("are there import cycles?", "cycles", []),
        ("circular dependencies in the web package", "cycles", ["web"]),
        ("impact of changing validate_token", "impact", ["validate_token"]),
        ("what breaks if I change User.save?", "impact", ["User.save"]),
        ("can I safely delete legacyLogin?", "impact", ["legacyLogin"]),
        ("which tests cover charge()", "impact", ["charge"]),
        ("overview of the auth module", "overview", ["auth"]),
        ("how is the server folder organized", "overview", ["server"]),
        ("architecture of this project", "overview", []),
        ("components related to PaymentGateway", "symbol", ["PaymentGateway"]),
        ("AuthService", "symbol", ["AuthService"]),
        ("where is rate limiting implemented", "open", []),
        ("how are routes registered", "open", []),
        ("Serialize and Serializer trait definitions", "open", []),
    ],
)
def test_the_kind_and_the_names_are_read_off_the_phrasing(question: str, kind: str, subjects: list[str]) -> None:
    first = readings(question)[0]

    assert (first.kind, [subject.name for subject in first.subjects]) == (kind, subjects)


@given(st.text(max_size=300))
def test_any_string_is_legal_and_ends_with_the_open_reading(text: str) -> None:
    assert readings(text)[-1].kind == "open"


@pytest.mark.parametrize(
    ("phrase", "name", "marked"),
    [
        ("the `Codec` protocol", "Codec", True),
        ("abstract class Shape", "Shape", True),
        ("login()", "login", True),
        ("login", "login", False),
        ("the payment gateway", "payment gateway", False),
    ],
)
def test_articles_and_kind_words_are_no_part_of_a_name(phrase: str, name: str, marked: bool) -> None:
    subject = subject_of(phrase)

    assert subject is not None
    assert (subject.name, subject.marked) == (name, marked)


def test_prose_is_no_name() -> None:
    assert subject_of("how the server decides which request to drop first") is None


@pytest.mark.parametrize("phrase", ["that last function", "the same one", "the former method"])
def test_what_the_question_spoke_of_before_is_no_name(phrase: str) -> None:
    assert subject_of(phrase) is None
    assert subject_of("last") is not None, "a function may be called that"


def test_of_several_folders_of_a_name_the_outermost_and_then_the_fullest_is_meant() -> None:
    areas = _Areas(["a/tpl/inner/A.java", "a/src/inner/B.java", "a/src/inner/C.java", "a/src/b/inner/D.java"])
    found = areas.folder("inner")
    assert found is not None
    assert found.label == "a/src/inner/"
    assert found.files == {"a/src/inner/B.java", "a/src/inner/C.java"}


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("Who calls Handle::schedule_task of the multi-thread scheduler?", "callers", "Handle::schedule_task"),
        ("What implements Store, directly or through another interface or parent class?", "implementations", "Store"),
        ("What breaks if Guard.preHandle in web changes: overrides and callers?", "impact", "Guard.preHandle"),
        ("What breaks if the signature of Reader.feed_eof changes: callers, overrides and tests?", "impact",
         "Reader.feed_eof"),
        ("who calls foo_bar in src/ and tests?", "callers", "foo_bar"),
        ("Who calls PostRevisor#revise!?", "callers", "PostRevisor#revise!"),
        ("Who calls PostRevisor#revise! directly or through Post#revise?", "callers", "PostRevisor#revise!"),
        ("Who calls login!", "callers", "login"),
    ],
)  # fmt: skip
def test_words_about_a_name_do_not_hide_it(text: str, kind: str, name: str) -> None:
    first = readings(text)[0]
    assert (first.kind, [subject.name for subject in first.subjects]) == (kind, [name])


@pytest.mark.parametrize(
    "text",
    [
        "How does a model_validator(mode=before) get applied to the schema?",
        "How does a validator end up in the core schema: the functions that collect it and apply it, in order?",
    ],
)
def test_a_sentence_that_only_begins_with_a_name_is_an_open_question(text: str) -> None:
    assert readings(text)[0].kind == "open"


@pytest.mark.parametrize(
    ("question", "kind", "names"),
    [
        ("The functions from Client.get to Transport.handle_request, in order", "path", 2),
        ("show the methods called from `Client.get` down to `Transport.handle` in that order", "path", 2),
        ("Which functions call Router.Match or Route.Match, every call", "callers", 2),
        ("who calls Router.match, each call with file:line", "callers", 1),
        ("The methods from `Build.process` to the template of a page being rendered, in order", "open", 0),
    ],
)
def test_what_is_said_of_order_and_completeness_is_no_part_of_a_name(question: str, kind: str, names: int) -> None:
    first = readings(question)[0]

    assert (first.kind, len(first.subjects)) == (kind, names)


def test_functions_that_run_in_order_from_one_are_no_callers_of_it() -> None:
    kinds = [reading.kind for reading in readings("Which functions run in order from `render` to the end of the text?")]

    assert "callers" not in kinds
