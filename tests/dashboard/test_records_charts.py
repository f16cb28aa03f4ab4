"""What if a column were coarser: the picture is drawn where something helps, and a sentence says where nothing does."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from riskkit.dashboard.charts import records_charts


@pytest.mark.parametrize(
    ("after", "does"), [((0.8, 0.8), False), ((0.8, 0.797), False), ((0.8, 0.79), True), ((), False)]
)
def test_what_helps_can_be_seen(after: tuple[float, ...], does: bool) -> None:
    rows = [("age", 5, auc) for auc in after]
    assert records_charts.helps(0.8, rows) is does
    sentence = str(records_charts.coarser(0.8, rows, 5).layout.meta)
    assert ("lowers the best attack from 0.80 to 0.79" in sentence) is does
    assert ("leaves the best attack at 0.80" in sentence) is not does


def page(after: list[float]) -> None:
    from types import SimpleNamespace
    from typing import Any, cast

    from riskkit.dashboard.pages import records_one

    changes: Any = [
        SimpleNamespace(
            column="age",
            people=5,
            before=SimpleNamespace(auc=SimpleNamespace(value=0.8)),
            after=SimpleNamespace(auc=SimpleNamespace(value=auc)),
        )
        for auc in after
    ]
    records_one._coarser(cast(Any, SimpleNamespace(id="a")), changes, 5)


def drawn(*after: float) -> tuple[str, int]:
    """What is said, and how many charts there are."""
    screen: Any = AppTest.from_function(page, kwargs={"after": list(after)}, default_timeout=60).run()
    assert not screen.exception
    return "\n".join(str(text.value) for text in screen.markdown), len(screen.get("plotly_chart"))


def test_where_nothing_helps_there_is_a_sentence_and_no_empty_picture() -> None:
    text, charts = drawn(0.8, 0.8)
    assert charts == 0
    assert "leaves the best attack at 0.80" in text
    assert "Let more people share a value" in text
    assert drawn(0.7, 0.8)[1] == 1
    text, charts = drawn()
    assert charts == 0
    assert "None of these columns can be made coarser" in text
