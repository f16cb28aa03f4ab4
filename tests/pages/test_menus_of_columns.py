"""Menus of columns show a name letter by letter, whatever it holds."""

from __future__ import annotations

import pytest

from tests.pages.screens import PAGES, csv, healthy, loaded, opened

NAMES = ("most_frequent", "*ward*", "job", "[score](x)")


@pytest.mark.parametrize("question", ["attributes", "explanations"])
def test_a_menu_shows_the_letters_of_a_name_and_no_backslash(question: str) -> None:
    """Markdown is taken out of what Streamlit reads as Markdown; a menu shows plain text."""
    page = next(f"pages/{place.name}" for place in PAGES if question in place.name.lower())
    real, holdout = csv(200, 0, names=NAMES), csv(200, 1, names=NAMES)
    audit = loaded(real=real, synthetic=csv(200, 2, names=NAMES), holdout=holdout)
    screen = healthy(opened(audit, page))
    options = [choice for menu in (*screen.selectbox, *screen.multiselect) for choice in menu.options]
    assert "most_frequent" in options
    assert not [choice for choice in options if "\\" in choice]
