"""The names of months and days, and the hints of the buttons, that plotly draws, in the language of the process."""

from __future__ import annotations

from typing import Any

from riskkit.language import ENGLISH, say, tag


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
