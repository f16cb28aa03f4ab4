"""The one place where a number becomes a word: what was measured, limits that people set, and the verdict of both."""
