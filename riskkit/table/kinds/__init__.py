"""Columns of text to kinds and values, the same for all files: one schema, one writing of each value."""
