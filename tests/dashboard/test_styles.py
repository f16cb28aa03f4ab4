"""What a page puts out as HTML holds nothing that a text could break out of."""

from __future__ import annotations

import pytest

from riskkit.dashboard import styles


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
