"""Names that OCaml brings along."""

from __future__ import annotations

from sightline.languages.library import EVERYWHERE, words

BUILTINS = words(
    """
    abs at_exit close_in close_out compare compare exit failwith float float_of_int float_of_string flush fst ignore
    incr decr input_line int_of_char int_of_float int_of_string invalid_arg max min mod not open_in open_out
    output_string pred print_endline print_int print_newline print_string prerr_endline raise ref snd sprintf printf
    eprintf string_of_bool string_of_float string_of_int succ lnot lor land lxor lsl lsr
    List Array String Hashtbl Map Set Option Result Printf Format Buffer Bytes Char Int Float Fun Seq Sys Unix Lazy
    Stdlib Printexc Random Scanf Queue Stack Stream Filename Arg Gc Obj Str
    """
)
COMMON_MEMBERS = EVERYWHERE | words(
    "iter iteri mapi fold_left fold_right bind return pp equal compare to_string of_string"
)
