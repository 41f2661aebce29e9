"""Go: packages, receivers, embedding, declared results and structural interfaces."""

from __future__ import annotations

from typing import Any

FILES = {
    "go.mod": "module ex.org/shop\n",
    "store/store.go": """package store

type Store struct {
	Log
	items map[string]*Item
}
type Item struct{ Name string }
type Log struct{}
type Saver interface {
	Save(i *Item) error
}

func New() (*Store, error) { return &Store{}, nil }
func (l *Log) Print() {}
func (i *Item) Touch() *Item { return i }
""",
    "store/save.go": """package store

func (s *Store) Save(i *Item) error {
	s.Print()
	s.items["a"].Touch().Touch()
	check(i)
	return nil
}
func check(i *Item) {}
""",
    "main.go": """package main

import (
	"fmt"

	st "ex.org/shop/store"
)

func main() {
	s, err := st.New()
	fmt.Println(err)
	var saver st.Saver = s
	saver.Save(nil)
	if x, ok := any(s).(*st.Store); ok {
		x.Save(nil)
	}
	for _, item := range []*st.Item{} {
		item.Touch()
	}
}
""",
}


def test_calls_follow_packages_receivers_embedding_and_results(graph_of: Any) -> None:
    graph = graph_of(FILES)
    assert graph.edges("calls") == {
        "Store.Save calls Log.Print",
        "Store.Save calls Item.Touch",
        "Store.Save calls check",
        "main calls New",
        "main calls <fmt.Println>",
        "main calls Saver.Save",
        "main calls Store.Save",
        "main calls Item.Touch",
    }
    assert graph.how("Store.Save", "check") == "local"


def test_a_type_implements_the_interfaces_whose_methods_it_has(graph_of: Any) -> None:
    graph = graph_of(FILES)
    assert graph.edges("implements") == {"Store implements Saver"}
    assert graph.edges("inherits") == {"Store inherits Log"}


def test_a_package_is_imported_by_its_module_path_and_methods_belong_to_their_type(graph_of: Any) -> None:
    graph = graph_of(FILES)
    assert graph.edges("imports") == {"main imports store.save", "main imports <fmt>"}
    assert "Store contains Store.Save" in graph.edges("contains")
    uses = graph.edges("uses_type")
    assert "Store uses_type Item" in uses
    assert "New uses_type Store" in uses


def test_of_two_files_with_the_same_function_a_usual_build_takes_the_unconstrained_one(graph_of: Any) -> None:
    graph = graph_of(
        {
            "a.go": "//go:build !tiny\n\npackage p\n\nfunc f() {}\n",
            "b.go": "//go:build tiny\n\npackage p\n\nfunc f() {}\n",
            "c.go": "package p\n\nfunc g() { f() }\n",
        }
    )
    (call,) = [r for r in graph.relationships if r.relationship_type == "calls"]
    assert call.target_path == "a.go"


_TWO_TYPES = (
    "package p\n\ntype Plain struct{}\nfunc (p *Plain) Run() {}\ntype Other struct{}\nfunc (o *Other) Run() {}\n"
    "type Box[T any] struct{ Held T }\nfunc (b *Box[T]) Get() T { return b.Held }\n"
    "func (b *Box[T]) All() []T { return nil }\n"
    "func NewBox[T any](v T) *Box[T] { return nil }\n"
)


def test_type_arguments_of_structs_are_followed(graph_of: Any) -> None:
    use = (
        "package p\n\ntype Embeds struct{ Box[*Plain] }\n"
        "func a(b *Box[*Plain]) { b.Get().Run() }\nfunc b(b *Box[*Plain]) { b.All()[0].Run() }\n"
        "func c(e Embeds) { e.Get().Run() }\nfunc d(e Embeds) { e.Held.Run() }\n"
        "func e() { NewBox[*Plain](nil).Get() }\n"
    )
    graph = graph_of({"go.mod": "module m\n", "t.go": _TWO_TYPES, "use.go": use})
    assert graph.calls_of("Run") == {f"{name} calls Plain.Run" for name in "abcd"}
    assert {"e calls NewBox", "e calls Box.Get"} <= graph.edges("calls")


def test_a_struct_without_a_name_has_its_fields(graph_of: Any) -> None:
    use = (
        "package p\n\ntype holder struct{ inner struct{ plain *Plain } }\n"
        "func a(h holder) { h.inner.plain.Run() }\n"
        'func b() {\n\tcases := []struct {\n\t\tname string\n\t\tplain *Plain\n\t}{{name: "x"}}\n'
        "\tfor _, c := range cases {\n\t\tc.plain.Run()\n\t}\n}\n"
    )
    assert graph_of({"t.go": _TWO_TYPES, "use.go": use}).calls_of("Run") == {"a calls Plain.Run", "b calls Plain.Run"}


def test_a_function_made_to_run_once_gives_what_it_gives(graph_of: Any) -> None:
    use = (
        'package p\n\nimport "sync"\n\nvar plain = sync.OnceValue(func() *Plain { return nil })\n'
        "func a() { plain().Run() }\n"
    )
    assert graph_of({"t.go": _TWO_TYPES, "use.go": use}).calls_of("Run") == {"a calls Plain.Run"}
