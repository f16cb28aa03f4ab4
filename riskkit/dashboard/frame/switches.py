"""Toggles and checkboxes whose help stands beside them: a click on the sign of help never changes the value.

Streamlit draws the help of a toggle within its label, where a click on anything changes the value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st


def toggle(label: str, *value: bool, **how: Any) -> bool:
    """``st.toggle`` with that label, first value and settings, its ``help`` beside it."""
    return _draw(st.toggle, label, *value, **how)


def checkbox(label: str, *value: bool, **how: Any) -> bool:
    """``st.checkbox`` with that label, first value and settings, its ``help`` beside it."""
    return _draw(st.checkbox, label, *value, **how)


def _draw(widget: Callable[..., bool], label: str, *value: bool, **how: Any) -> bool:
    about = how.pop("help", None)
    how.setdefault("wrap", True)  # a label that is cut off says half of what is agreed to
    if not about:
        return widget(label, *value, **how)
    with st.container(horizontal=True, vertical_alignment="center", gap=None):
        is_on = widget(label, *value, **how)
        st.markdown("", help=about, width="content")
    return is_on
