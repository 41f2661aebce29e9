"""Symbols in the words of their language."""

from __future__ import annotations

import pytest

from sightline.graph.read.spoken import impl_head, spoken_kind


@pytest.mark.parametrize(
    ("kind", "signature", "name", "said"),
    [
        ("class", "internal actual object Default : EventLoopImplBase(), Runnable", "Default", "actual object"),
        ("class", "public expect abstract class MainDispatcher", "MainDispatcher", "expect abstract class"),
        ("interface", "pub trait Schedule: Sync", "Schedule", "trait"),
        ("interface", "public protocol Middleware: Sendable", "Middleware", "protocol"),
        ("class", "case class Point(x: Int)", "Point", "case class"),
        ("class", "class Plain(Base)", "Plain", "class"),
        ("struct", "data Format = Html | Markdown", "Format", "data type"),
        ("type_alias", "type Id = string", "Id", "type_alias"),
        ("method", "def object(self)", "object", "method"),
    ],
)  # fmt: skip
def test_kinds_are_those_of_the_declaration(kind: str, signature: str, name: str, said: str) -> None:
    assert spoken_kind(kind, signature, name) == said


@pytest.mark.parametrize(
    ("source", "head"),
    [
        ("impl Schedule for Arc<Handle> {\n    fn schedule(&self) {", "Schedule for Arc<Handle>"),
        ("impl<T> Future for Job<T>\nwhere\n    T: Send,\n{\n    fn poll(self) {", "Future for Job<T>"),
        ("impl Handle {\n    fn schedule(&self) {", ""),
        ("unsafe impl Sync for Task {}\n\npub trait Schedule {\n    fn schedule(&self);", ""),
        ("impl A for B {\n    fn a() {}\n}\n\nfn free() {\n    fn inner() {", ""),
        ("fn free() {", ""),
    ],
)
def test_a_method_of_a_trait_is_named_by_its_impl(source: str, head: str) -> None:
    assert impl_head(source.split("\n")) == head
