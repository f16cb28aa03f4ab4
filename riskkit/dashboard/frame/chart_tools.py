"""What stands at every picture: its sentence, and one control to save it, take its numbers along, or copy them.

The camera in the corner of a picture is plotly's own and works in the browser: this server draws no image and asks
nobody else for one. Plotly has one such button, so the control chooses what it saves.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from riskkit.audit.output_files import record_export
from riskkit.dashboard.frame import state, styles
from riskkit.dashboard.frame.shell import guard, plain
from riskkit.figures import canvas, chart_data
from riskkit.language import ENGLISH, counted, say, tag
from riskkit.show.model import Class


def locale() -> dict[str, Any]:
    """What plotly is told of the language; nothing of English, which it speaks."""
    language = tag()
    if language == ENGLISH:
        return {}
    return {"locale": language, "locales": {language: {"dictionary": _dictionary(), "format": _format()}}}


def _format() -> dict[str, Any]:
    """Names and orders of dates; the signs after ``%`` are those of d3."""
    days = say("Sunday, Monday, Tuesday, Wednesday, Thursday, Friday, Saturday")
    short_days = say("Sun, Mon, Tue, Wed, Thu, Fri, Sat")
    months = say("January, February, March, April, May, June, July, August, September, October, November, December")
    short_months = say("Jan, Feb, Mar, Apr, May, Jun, Jul, Aug, Sep, Oct, Nov, Dec")
    return {
        "days": days.split(", "),
        "shortDays": short_days.split(", "),
        "months": months.split(", "),
        "shortMonths": short_months.split(", "),
        "date": say("%-m/%-d/%Y"),
        "year": say("%Y"),
        "month": say("%b %Y"),
        "dayMonth": say("%b %-d"),
        "dayMonthYear": say("%b %-d, %Y"),
    }


def _dictionary() -> dict[str, str]:
    """The hints by the English that plotly looks up."""
    return {
        "Autoscale": say("Autoscale"),
        "Box Select": say("Box Select"),
        "Double-click to zoom back out": say("Double-click to zoom back out"),
        "Download plot": say("Download plot"),
        "Download plot as a PNG": say("Download plot as a PNG"),
        "Download plot as a png": say("Download plot as a PNG"),
        "Download plot as SVG": say("Download plot as SVG"),
        "Lasso Select": say("Lasso Select"),
        "Pan": say("Pan"),
        "Reset axes": say("Reset axes"),
        "Toggle Spike Lines": say("Toggle Spike Lines"),
        "Zoom": say("Zoom"),
        "Zoom in": say("Zoom in"),
        "Zoom out": say("Zoom out"),
        "Taking snapshot - this may take a few seconds": say("Taking snapshot - this may take a few seconds"),
        "Snapshot succeeded": say("Snapshot succeeded"),
        "max:": say("max:"),
        "min:": say("min:"),
        "median:": say("median:"),
        "mean:": say("mean:"),
        "q1:": say("q1:"),
        "q3:": say("q3:"),
        "trace": say("trace"),
    }


FORMATS = {"png": "PNG", "svg": "SVG"}
"""What the camera saves: by how plotly calls it, and how people do."""
SHARP = 2
"""Pixels of a saved PNG for one on the screen."""
_ID = re.compile(r"[0-9a-f]{32}")
_ODD = re.compile(r"[^a-z0-9]+")


def show(figure: go.Figure, key: str, control: str = "", **more: Any) -> Any:
    """Draw the figure under the sentence it shows, which is also its description for screen readers.

    ``control`` is the key of what saves it, where the figure's own changes with what is chosen in it.
    """
    finding = str(figure.layout.meta)
    return draw(figure, control or key, f"**{plain(finding)}**", finding, chart=key, **more)


def draw(figure: go.Figure, key: str, heading: str, alt: str, *, chart: str = "", **more: Any) -> Any:
    """Draw the figure under its heading, with the control beside that; ``more`` goes to ``st.plotly_chart``.

    ``key`` is that of the control, and of the figure too unless that has one of its own in ``chart``.
    Opening the control of a figure that nobody selects in draws this figure anew and nothing else of the page.
    """
    return (_draw if more.get("on_select") else _alone)(figure, key, heading, alt, chart or key, **more)


def _draw(figure: go.Figure, key: str, heading: str, alt: str, chart: str, **more: Any) -> Any:
    is_open = bool(st.session_state.get(f"{key}.open"))
    with st.container(horizontal=True, vertical_alignment="top", gap="small", key=f"{styles.HEAD}{key}"):
        st.markdown(heading, width="stretch")
        st.button(
            say("Close") if is_open else say("Save"),
            key=f"{key}.tools",
            type="tertiary",
            icon=":material/close:" if is_open else ":material/download:",
            on_click=_turn,
            args=(key,),
            help=say("Save or copy this chart: image, or numbers."),
        )
    if is_open:  # in the flow, not over it: what hangs over a page comes last for whoever goes through it by keys
        with st.container(border=True):
            _tools(figure, key)
    canvas.wrap_titles(figure)
    return st.plotly_chart(figure, theme="streamlit", key=chart, config=config(key), alt=alt, **more)


def _turn(key: str) -> None:
    """Open the control, or close it."""
    st.session_state[f"{key}.open"] = not st.session_state.get(f"{key}.open")


_alone: Callable[..., Any] = st.fragment(guard()(_draw))


def config(key: str) -> dict[str, Any]:
    """How plotly shows that figure: its camera saves what was chosen for it, under a name that says what it is."""
    kind = _choice(key)
    image = {"format": kind, "filename": name_of(key), "scale": SHARP if kind == "png" else 1}
    return {"displaylogo": False, "toImageButtonOptions": image, **locale()}


def _choose(key: str) -> None:
    """Keep what the camera saves: a widget forgets it when the control is closed."""
    st.session_state[f"{key}.camera"] = st.session_state[f"{key}.format"]


def _choice(key: str) -> str:
    return str(st.session_state.get(f"{key}.camera", next(iter(FORMATS))))


def name_of(key: str) -> str:
    """The name of a file from the key of a figure, without the id of the audit; neither holds a name of a column."""
    return "riskkit_" + _ODD.sub("_", _ID.sub("", key.lower())).strip("_")


def _tools(figure: go.Figure, key: str) -> None:
    """What can be taken along: made when somebody opens the control."""
    lines = chart_data.rows(figure)
    st.segmented_control(
        say("Image: what the camera in the corner of the chart saves"),
        list(FORMATS),
        default=_choice(key),
        format_func=FORMATS.__getitem__,
        key=f"{key}.format",
        required=True,
        on_change=_choose,
        args=(key,),
    )
    st.download_button(
        counted(len(lines), "Numbers as CSV, {n:,} line", "Numbers as CSV, {n:,} lines"),
        _file(lines),
        f"{name_of(key)}.csv",
        "text/csv",
        key=f"{key}.csv",
        on_click="ignore",
        icon=":material/table:",
    )
    if chart_data.is_restricted(lines):
        st.caption(f":material/lock: {say('Restricted: holds row numbers of the real table.')}")
    if len(lines) > chart_data.COPIED:
        st.caption(say("To copy: the first {shown:,} lines. The CSV has all.", shown=chart_data.COPIED))
    else:
        st.caption(say("To copy into a spreadsheet:"))
    st.code(chart_data.as_text(lines), language=None, height=160)


def _file(lines: list[chart_data.Row]) -> Callable[[], bytes]:
    """The numbers as a file, made when somebody asks; that restricted ones leave is written down before."""
    audit = state.current() if chart_data.is_restricted(lines) else None

    def made() -> bytes:
        if audit is not None:
            record_export(audit, str(Class.RESTRICTED), "numbers of a chart")
        return chart_data.as_csv(lines)

    return made
