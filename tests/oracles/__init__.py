"""Slow, obvious twins of what the library does fast, written from docs/model.md alone."""
