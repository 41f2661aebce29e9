"""Perl: packages, constructors by bless, inherited methods, imported names."""

from __future__ import annotations

from typing import Any

_BOOK = """package Shop::Book;
sub new { my ($class, %given) = @_; return bless {%given}, $class }
sub show { my $self = shift; $self->title; helper_here(); }
sub title { return 'book' }
sub helper_here {}
1;
"""
_LEDGER = """package Shop::Ledger;
use strict;
use parent 'Shop::Book';
use Shop::Tools qw(sum_up);
sub add {
    my ($self, $price) = @_;
    $self->_check($price);
    sum_up($price);
    Shop::Tools::round_off($price);
    $self->show;
    print "added";
    return $self;
}
sub _check { my $self = shift; $self->SUPER::title }
sub show { my $self = shift; $self->SUPER::show }
1;
"""
_TOOLS = """package Shop::Tools;
use Exporter 'import';
our @EXPORT_OK = qw(sum_up);
sub sum_up { round_off(1) }
sub round_off {}
1;
"""
_SCRIPT = """#!/usr/bin/perl
use Shop::Ledger;
sub open_shop {
    my $ledger = Shop::Ledger->new(owner => 'me');
    $ledger->add(3)->title;
}
open_shop();
"""


def test_packages_constructors_bases_and_imports(graph_of: Any) -> None:
    graph = graph_of(
        {
            "lib/Shop/Book.pm": _BOOK,
            "lib/Shop/Ledger.pm": _LEDGER,
            "lib/Shop/Tools.pm": _TOOLS,
            "script.pl": _SCRIPT,
        }
    )
    assert graph.edges("calls", "instantiates") == {
        "Shop.Book.show calls Shop.Book.title",
        "Shop.Book.show calls Shop.Book.helper_here",
        "Shop.Ledger.add calls Shop.Ledger._check",
        "Shop.Ledger.add calls Shop.Tools.sum_up",
        "Shop.Ledger.add calls Shop.Tools.round_off",
        "Shop.Ledger.add calls Shop.Ledger.show",
        "Shop.Ledger._check calls Shop.Book.title",
        "Shop.Ledger.show calls Shop.Book.show",
        "Shop.Tools.sum_up calls Shop.Tools.round_off",
        "open_shop calls Shop.Book.new",
        "open_shop calls Shop.Ledger.add",
        "open_shop calls Shop.Book.title",
        "script calls open_shop",
    }
    assert graph.edges("inherits") == {"Shop.Ledger inherits Shop.Book"}
    assert graph.edges("overrides") == {"Shop.Ledger.show overrides Shop.Book.show"}
    assert {"lib.Shop.Ledger imports Shop.Tools.sum_up", "script imports lib.Shop.Ledger"} <= graph.edges("imports")


def test_two_packages_of_one_file_keep_their_methods_apart(graph_of: Any) -> None:
    graph = graph_of(
        {
            "pair.pl": "package A;\nsub new { bless {}, shift }\nsub go { helper() }\nsub helper {}\n"
            "package B;\nsub go { helper(); A->new->go }\nsub helper {}\n"
        }
    )
    assert graph.edges("calls") == {"A.go calls A.helper", "B.go calls B.helper", "B.go calls A.new", "B.go calls A.go"}
