"""OCaml."""
