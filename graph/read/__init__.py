"""The finished graph: symbols by name, walks over the relationships of one snapshot. Never changes anything."""
