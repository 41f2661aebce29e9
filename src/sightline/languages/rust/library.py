"""Names that Rust brings along."""

from __future__ import annotations

from sightline.languages.library import EVERYWHERE, words

BUILTINS = words(
    """
    assert assert_eq assert_ne cfg column compile_error concat dbg debug_assert debug_assert_eq debug_assert_ne env
    eprint eprintln file format format_args include include_bytes include_str line matches module_path option_env
    panic
    print println stringify thread_local todo unimplemented unreachable vec write writeln try_join join select pin
    Some None Ok Err Box Vec String drop info warn error debug trace span event bitflags lazy_static quote
    parse_quote json ready
    """
)
COMMON_MEMBERS = EVERYWHERE | words(
    """
    abs accept all_consuming and and_then any as_any as_bytes as_deref as_mut as_mut_slice as_ptr as_ref as_slice
    as_str
    as_string await binary_search borrow borrow_mut by_ref bytes capacity chain chars checked_add checked_sub chunks
    clone_from cloned cmp collect compare_exchange contains_key context copied copy_from_slice count cycle dedup
    default deref deref_mut deserialize difference display downcast downcast_ref drain duration_since elapsed
    ends_with entry enumerate expect expect_err expose extend extend_from_slice fetch_add file_name filter_map
    find_map
    finish first_mut flat_map flatten fmt fold for_each from_str from_utf8 get_mut get_or_insert_with get_ref
    get_unchecked hash insert_str inspect intersection into into_boxed_slice into_bytes into_inner into_iter
    into_string
    is_alphabetic is_alphanumeric is_ascii is_digit is_empty is_err is_file is_none is_ok is_some is_dir is_whitespace
    iter iter_mut join keys last_mut leak lines lock map_err map_or map_or_else map_while next_back nth ok ok_or
    ok_or_else or or_default or_else or_insert or_insert_with parent partial_cmp partition peekable pin poll_next
    pop_front position product push_back push_front push_str read_exact read_line read_to_end read_to_string recv
    reserve resize retain rev rfind rsplit saturating_sub serialize skip_while sort_by sort_by_key sort_unstable
    split_at split_first split_off split_whitespace splice splitn starts_with step_by strip_prefix strip_suffix
    sum swap_remove take_while then_some to_ascii_lowercase to_bytes to_le_bytes to_lowercase to_owned to_path_buf
    to_string to_str to_uppercase to_vec to_string_lossy trim_end trim_start truncate try_from try_into try_lock
    try_recv try_send unwrap unwrap_err unwrap_or unwrap_or_default unwrap_or_else upgrade downgrade values_mut
    windows with_capacity wrapping_add write_all write_fmt write_str zip poll_ready poll_flush extension method uri
    headers headers_mut body into_body into_parts extensions extensions_mut status_mut serialize_str
    serialize_struct serialize_seq
    deserialize_any visit_str visit_map span to_tokens as_u64 as_i64 as_f64 as_object as_array
    """
)
