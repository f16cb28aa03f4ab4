"""Text that came with a file, as Markdown that shows every letter: nothing comes of it, and numbers can be copied."""

from __future__ import annotations

import re

import pytest

from riskkit.dashboard.frame.shell import JOINER, plain


@pytest.mark.parametrize(
    "text", ["0.63 [0.55, 0.71]", "-0.02 [-0.08, 0.03]", "+5", "41.3 %", "A leak is shown by: Data."]
)
def test_numbers_and_sentences_are_copied_as_they_are_read(text: str) -> None:
    assert JOINER not in plain(text)
    assert re.sub(r"\\(?=[^\w\s])", "", plain(text)) == text


@pytest.mark.parametrize("text", ["1. one", "12) twelve", "- a", "+ a", "= a", "-", "1."])
def test_nothing_begins_a_list_or_underlines_a_heading(text: str) -> None:
    sign = re.match(r"\d*(.)", plain(text))
    assert sign
    assert sign[1] == "\\"


@pytest.mark.parametrize(
    "text", [":material/home:", ":red[x]", "https://example.org", "x:smile:", "mail:a@example.org", "a:"]
)
def test_what_follows_a_colon_at_once_is_kept_apart(text: str) -> None:
    assert not re.search(r":(?!\u2060|\s)", plain(text))
