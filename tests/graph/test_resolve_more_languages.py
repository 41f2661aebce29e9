"""The smaller readers: what a handful of files of each language states about each other."""

from __future__ import annotations

from typing import Any

CALLS = ("calls", "instantiates")


def test_objective_c_messages_go_to_the_class_whose_implementation_holds_the_method(graph_of: Any) -> None:
    graph = graph_of(
        {
            "Store.h": "#import <Foundation/Foundation.h>\n@interface Store : Base <Shown>\n"
            "@property (nonatomic) Log *log;\n- (void)reset;\n+ (Store *)shared;\n@end\n",
            "Store.m": '#import "Store.h"\n@implementation Store\n- (void)reset {\n  [self.log write:@"x"];\n'
            "  [super reset];\n  tidy();\n}\n+ (Store *)shared { return [[Store alloc] init]; }\n@end\n"
            "static void tidy(void) {}\n",
            "Base.h": "@interface Base\n- (void)reset;\n@end\n@protocol Shown\n- (void)show;\n@end\n",
            "Base.m": '#import "Base.h"\n@implementation Base\n- (void)reset {}\n@end\n',
            "Log.m": "@interface Log\n@end\n@implementation Log\n- (void)write:(NSString *)text {}\n@end\n",
            "main.m": '#import "Store.h"\nint main() {\n  Store *s = [Store shared];\n  [s reset];\n}\n',
        }
    )
    assert {
        "Store.reset calls Log.write",
        "Store.reset calls Base.reset",
        "Store.reset calls tidy",
        "main calls Store.shared",
        "main calls Store.reset",
    } <= graph.edges(*CALLS)
    assert graph.edges("inherits") == {"Store inherits Base"}
    assert graph.edges("implements") == {"Store implements Shown"}


def test_julia_files_see_each_other_whatever_module_includes_them(graph_of: Any) -> None:
    graph = graph_of(
        {
            "src/Shapes.jl": 'module Shapes\ninclude("area.jl")\nabstract type Shape end\nstruct Circle <: Shape\n'
            "  r\nend\nround_off(x) = x\nend\n",
            "src/area.jl": "function area(c::Circle)\n  round_off(square(c.r))\nend\nsquare(x) = x * x\n"
            "macro timed(e)\n  e\nend\nrun() = @timed area(Circle(1))\n",
        }
    )
    assert graph.edges(*CALLS) == {
        "area calls Shapes.round_off",
        "area calls square",
        "run calls timed",
        "run calls area",
        "run instantiates Shapes.Circle",
    }
    assert graph.edges("inherits", "implements") == {"Shapes.Circle implements Shapes.Shape"}
    assert "src.Shapes imports src.area" in graph.edges("imports")


def test_powershell_commands_are_functions_of_any_file(graph_of: Any) -> None:
    graph = graph_of(
        {
            "a.ps1": ". ./b.ps1\nfunction Get-Size($n) {\n  $d = [Disk]::new($n)\n  $d.Measure()\n  Write-Host $n\n"
            "  Select-Large $n\n}\n",
            "b.ps1": "class Base { [int] Help() { return 1 } }\nclass Disk : Base {\n  [int] Measure() {"
            " return $this.Help() }\n}\nfunction Select-Large {}\n",
        }
    )
    assert graph.edges(*CALLS) == {
        "Get-Size instantiates Disk",
        "Get-Size calls Disk.Measure",
        "Get-Size calls Select-Large",
        "Disk.Measure calls Base.Help",
    }
    assert graph.edges("inherits") == {"Disk inherits Base"}


def test_ocaml_files_are_modules_by_their_names(graph_of: Any) -> None:
    graph = graph_of(
        {
            "lib/store.ml": "open Tools\nmodule Inner = struct\n  let make () = 1\nend\n"
            "let push s x = check x; Inner.make () + Tools.round x\n",
            "lib/tools.ml": "let check x = ignore x\nlet round x = x\n",
            "bin/main.ml": "let run push = push 1\nlet start () = Store.push 1 2 |> Tools.round\n",
        }
    )
    assert graph.edges(*CALLS) == {
        "push calls check",
        "push calls Inner.make",
        "push calls round",
        "start calls push",
        "start calls round",
    }


def test_fsharp_modules_are_found_from_the_packages_around(graph_of: Any) -> None:
    graph = graph_of(
        {
            "Tools.fs": "module Shop.Tools\n\nlet check x = x\n\nlet round x = x\n",
            "Orders.fs": "module Shop.Orders\n\nopen Shop.Tools\n\ntype Store(name: string) =\n"
            "    member this.Name = name\n    member this.Add(line: int) =\n        check line\n\n"
            "let total lines = lines |> Tools.round\n\nlet start argv =\n    let store = Store(argv)\n"
            "    store.Add 3\n",
        }
    )
    assert graph.edges(*CALLS) == {
        "Store.Add calls check",
        "total calls round",
        "start instantiates Store",
        "start calls Store.Add",
    }


def test_solidity_contracts_call_inherited_and_imported_functions_modifiers_and_events(graph_of: Any) -> None:
    graph = graph_of(
        {
            "contracts/Owned.sol": "contract Owned {\n  event Moved(address to);\n  modifier onlyOwner() { _; }\n"
            "  function move(address to) internal { emit Moved(to); }\n}\n",
            "contracts/Math.sol": "library Math {\n  function add(uint a, uint b) internal returns (uint) {}\n}\n",
            "contracts/Vault.sol": 'import "./Owned.sol";\nimport {Math as M} from "./Math.sol";\n'
            "contract Vault is Owned {\n  Vault other;\n"
            "  function pay(uint x) public onlyOwner {\n    M.add(x, x);\n    move(msg.sender);\n    other.pay(x);\n"
            "    new Vault();\n  }\n}\n",
        }
    )
    assert graph.edges(*CALLS) == {
        "Owned.move instantiates Owned.Moved",
        "Vault.pay calls Owned.onlyOwner",
        "Vault.pay calls Math.add",
        "Vault.pay calls Owned.move",
        "Vault.pay calls Vault.pay",
        "Vault.pay instantiates Vault",
    }
    assert graph.edges("inherits") == {"Vault inherits Owned"}


def test_make_targets_need_each_other(graph_of: Any) -> None:
    graph = graph_of(
        {
            "Makefile": "include rules.mk\nall: docs build\n\nbuild:\n\t$(call greet,you)\n",
            "rules.mk": "docs: build\n\techo\n\ndefine greet\n\techo $(1)\nendef\n",
        }
    )
    assert {"all calls docs", "all calls build", "build calls greet"} <= graph.edges("calls")
    assert graph.edges("imports") == {"Makefile imports rules"}


def test_templates_of_components_call_what_their_script_has(graph_of: Any) -> None:
    graph = graph_of(
        {
            "api.ts": "export function load() {}\n",
            "Card.vue": '<template><p @click="pick">{{ title(1) }}</p></template>\n<script setup lang="ts">\n'
            "import { load } from './api'\nimport Row from './Row.svelte'\nfunction pick() { load() }\n"
            "function title(x: number) { return x }\n</script>\n",
            "Row.svelte": "<script>\n  import { load } from './api'\n  function again() { load() }\n</script>\n"
            "<button on:click={again}>more</button>\n",
            "page.astro": "---\nimport { load } from './api'\nconst rows = load()\n---\n<p>{load()}</p>\n",
        }
    )
    assert graph.edges("calls") == {
        "pick calls load",
        "again calls load",
        "Card calls title",
        "Card calls pick",
        "Row calls again",
        "page calls load",
    }
    assert {"Card imports load", "Card imports Row", "Row imports load"} <= graph.edges("imports")


def test_cython_is_read_like_the_python_around_it(graph_of: Any) -> None:
    graph = graph_of(
        {
            "fast.pyx": "from libc.math cimport sqrt\nfrom .tools cimport helper\n\ncdef class Sum:\n"
            "    cdef double total\n    cpdef double add(self, double value) except -1:\n"
            "        return self._mean(<int>value)\n    cdef inline double _mean(self, int n) nogil:\n"
            "        return helper(n)\n\ncdef double norm(double[:] values, int n):\n    cdef Sum s = Sum()\n"
            "    s.add(1)\n    return sqrt(n)\n",
            "tools.pyx": "cdef int helper(int n):\n    return n\n",
            "use.py": "from fast import Sum\n\ndef run():\n    Sum().add(1)\n",
        }
    )
    assert graph.edges(*CALLS) == {
        "Sum.add calls Sum._mean",
        "Sum._mean calls helper",
        "norm instantiates Sum",
        "norm calls Sum.add",
        "norm calls <libc.math.sqrt>",
        "run instantiates Sum",
        "run calls Sum.add",
    }
