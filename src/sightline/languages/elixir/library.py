"""Names that Elixir brings along."""

from __future__ import annotations

from sightline.languages.library import words

BUILTINS = words(
    """
    if unless case cond with for try receive raise reraise throw quote unquote unquote_splicing super def defp
    defmacro
    defmacrop defmodule defstruct defexception defdelegate defguard defguardp defprotocol defimpl defoverridable
    import
    alias require use send spawn self is_nil is_atom is_binary is_bitstring is_boolean is_function is_integer is_list
    is_map is_number is_tuple is_float is_pid inspect to_string to_charlist elem hd tl length map_size tuple_size
    byte_size put_in get_in update_in pop_in apply node abs div rem max min round trunc not and or in when fn then tap
    sigil_r sigil_s sigil_w test describe setup setup_all assert refute assert_raise assert_receive refute_receive
    doctest
    """
)
