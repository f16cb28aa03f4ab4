"""What a page puts out as HTML holds nothing that a text could break out of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from riskkit.dashboard.frame import styles


@pytest.mark.parametrize("head", ['"} * {display: none}', "</style><script>", "a\\b", "line\nbreak", "値 [区間]"])
def test_a_head_is_a_text_and_nothing_else(head: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sheets: list[str] = []
    monkeypatch.setattr("streamlit.html", sheets.append)
    styles.heads_beside("line-", ["Question", head], 1)
    (plain,) = sheets
    styles.heads_beside("line-", ["Question", "x"], 1)
    written = plain.removeprefix(sheets[1].split('content: "')[0]).split('"')[1]
    assert plain.count("<") == 2
    assert plain.replace(written, "x") == sheets[1]
    assert not set(written) & set('"<>{};\n')


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
