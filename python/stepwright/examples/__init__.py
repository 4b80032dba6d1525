"""Whole examples of the line protocol, to copy: a world (`counter`), methods (`toy_method`, `stateful_method`)."""
