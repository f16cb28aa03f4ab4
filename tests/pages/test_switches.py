"""Toggles and checkboxes: their help stands beside them, so that asking for it changes nothing."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.screens import PAGES, csv, from_code, healthy, loaded, opened


def _both() -> None:
    import streamlit as st

    from riskkit.dashboard.frame import switches

    on = switches.toggle("Loud", True, key="loud", help="Whether it shouts.")
    agreed = switches.checkbox("Agreed", key="agreed", help="What it means.")
    plain = switches.toggle("Plain", key="plain")
    st.text(f"{on} {agreed} {plain}")


def test_a_switch_is_the_widget_with_its_help_beside_it() -> None:
    screen = from_code(_both)
    assert screen.text[0].value == "True False False"
    assert [each.help for each in (*screen.toggle, *screen.checkbox)] == ["", "", ""]
    assert [each.proto.help for each in screen.markdown] == ["Whether it shouts.", "What it means."]
    screen.checkbox(key="agreed").check().run()
    assert screen.text[0].value == "True True False"


def test_no_page_has_a_switch_with_help_in_its_label() -> None:
    audit = loaded(real=csv(), synthetic=csv(seed=1), holdout=csv(seed=2))
    screens = [healthy(opened(audit, f"pages/{page.name}")) for page in PAGES]
    switches = [each for screen in screens for each in (*screen.toggle, *screen.checkbox)]
    assert len(switches) > 10
    assert [each.label for each in switches if each.help] == []


@pytest.mark.parametrize("question", ["one-run", "households", "reconstruction"])
def test_no_page_that_follows_from_a_plan_has_one(question: str) -> None:
    def drawn(name: str) -> None:
        from riskkit.dashboard.pages import question_page

        question_page.page(name)

    audit = loaded(real=csv(), synthetic=csv(seed=1), holdout=csv(seed=2))
    screen = AppTest.from_function(drawn, kwargs={"name": question}, default_timeout=60)
    screen.query_params["audit"] = audit.id
    screen.run()
    assert [each.label for each in (*screen.toggle, *screen.checkbox) if each.help] == []
