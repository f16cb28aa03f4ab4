"""Another language for one test, which must not stay for the tests after it."""

import pytest


def speak(patch: pytest.MonkeyPatch, language: str) -> None:
    """Speak ``language`` (a tag, or ``MARKS``) until ``patch`` is undone."""
    patch.setenv("RISKKIT_LANGUAGE", language)
