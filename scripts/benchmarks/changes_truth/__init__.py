"""What really happens when code is changed: suites that fail when a function is broken, and commits of the past."""
