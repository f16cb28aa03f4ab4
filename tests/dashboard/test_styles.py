"""What a page puts out: HTML that no text breaks out of, and text of a file as Markdown that shows every letter."""

import re
from pathlib import Path

import pytest

from riskkit.dashboard.frame import styles
from riskkit.dashboard.frame.shell import JOINER, plain


def test_what_draws_charts_is_read_ahead_from_this_server_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Streamlit that calls a part otherwise would make the first chart slow again, without a word."""
    put_out: list[tuple[str, dict[str, bool]]] = []
    monkeypatch.setattr("streamlit.html", lambda body, **more: put_out.append((body, more)))
    styles.ahead()
    ((body, more),) = put_out
    sources = re.findall(r'<script type="module" src="([^"]*)"></script>', body)
    assert [re.sub(r"\.[^.]*\.js$", "", Path(source).name) for source in sources] == [
        name.removesuffix(".*.js") for name in styles.DRAWN
    ]
    assert all(source.startswith("./static/js/") and ".." not in source[1:] for source in sources)
    assert more == {"unsafe_allow_javascript": True}


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
