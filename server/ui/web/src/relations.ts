// What relationships are called, from either end.

export const ACTIVE: Record<string, string> = {
  calls: "Calls",
  instantiates: "Instantiates",
  inherits: "Extends",
  implements: "Implements",
  overrides: "Overrides",
  uses_type: "Uses as a type",
  imports: "Imports",
  decorates: "Decorates",
  contains: "Contains",
  tests: "Tests",
  registers: "Registers",
};
export const PASSIVE: Record<string, string> = {
  calls: "Called by",
  instantiates: "Instantiated by",
  inherits: "Extended by",
  implements: "Implemented by",
  overrides: "Overridden by",
  uses_type: "Used as a type by",
  imports: "Imported by",
  decorates: "Decorated by",
  contains: "Contained in",
  tests: "Tested by",
  registers: "Registered by",
};
/** What people look for first comes first. */
export const ORDER: readonly (readonly ["in" | "out", string])[] = [
  ["in", "calls"], ["in", "instantiates"], ["out", "calls"], ["out", "instantiates"], ["in", "registers"], ["out", "registers"], ["in", "implements"], ["in", "inherits"],
  ["in", "overrides"], ["in", "tests"], ["out", "implements"], ["out", "inherits"], ["out", "overrides"], ["in", "uses_type"],
  ["out", "uses_type"], ["in", "imports"], ["out", "imports"], ["in", "decorates"], ["out", "decorates"], ["out", "tests"],
];
