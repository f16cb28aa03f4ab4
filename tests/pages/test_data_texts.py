"""Free text on the Data page: guessed, confirmed with one press, and chosen like any other role."""

from __future__ import annotations

from typing import Any

import pytest

from riskkit.core import Kind, Role
from riskkit.dashboard.pages.data import choices_after_edit
from riskkit.jobs.store import ColumnChoice
from tests.pages.screens import csv, keys, loaded, opened, press, refuses_nothing, shown

SHOWN = [{"column": "note", "kind": "text", "role": "text", "missing": []}]
PLAIN = [{"column": "note", "kind": "categorical", "role": "known", "missing": []}]


def noted(seed: int) -> bytes:
    """The made table with a text of its own in every row."""
    first, *lines = csv(seed=seed).decode().splitlines()
    text = "the person said that nothing had changed on visit"
    out = [f"{line},{text} {1000 * seed + index}" for index, line in enumerate(lines)]
    return "\n".join([f"{first},note", *out]).encode()


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        (SHOWN, {"kind": "categorical"}, ColumnChoice(Kind.CATEGORICAL, Role.KNOWN)),
        (SHOWN, {"role": "ignored"}, ColumnChoice(role=Role.IGNORED)),
        (PLAIN, {"role": "text"}, ColumnChoice(role=Role.TEXT)),
        (PLAIN, {"kind": "text"}, ColumnChoice(Kind.TEXT, Role.TEXT)),
        (PLAIN, {"kind": "text", "role": "ignored"}, ColumnChoice(Kind.TEXT, Role.IGNORED)),
    ],
)
def test_the_role_follows_the_kind(before: list[dict[str, Any]], after: dict[str, str], kept: ColumnChoice) -> None:
    assert choices_after_edit(before, [{**before[0], **after}], {}) == {"note": kept}


def test_a_confirmed_text_can_be_made_a_category() -> None:
    confirmed = {"note": ColumnChoice(role=Role.TEXT)}
    changed = choices_after_edit(SHOWN, [{**SHOWN[0], "kind": "categorical"}], confirmed)
    assert changed == {"note": ColumnChoice(Kind.CATEGORICAL, Role.KNOWN)}


@pytest.mark.second
def test_a_guess_is_said_and_confirmed_with_one_press() -> None:
    audit = loaded(real=noted(0), synthetic=noted(1))
    screen = opened(audit)
    assert "The column holds free text." in shown(screen)
    assert "only by attacks on the released file that read texts: note" in shown(screen)
    press(screen, "columns_texts")
    assert refuses_nothing(screen)
    assert audit.choices == {"note": ColumnChoice(role=Role.TEXT)}
    assert "columns_texts" not in keys(screen)
    assert "The column holds free text." not in shown(screen)
    assert list(audit.tables().free_texts) == ["note"]
