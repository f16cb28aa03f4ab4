"""Style sheets of our own: the one place where a page puts out HTML. No text of a user is ever in it."""

from __future__ import annotations

import html
import time
from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from streamlit import file_util

from riskkit.language import ENGLISH, Readings, choice, phrase, say

DROP = "[data-testid=stFileUploaderDropzone]"
NOTHING = "[role=listbox] > [role=option]:not([id]):has(> span:only-child)"
ENTERED = "[data-testid=InputInstructions]"
ITEM = "span:has(> [data-testid=stMainMenuItemLabel])"


def own_words() -> None:
    """In another language than English, say in it what Streamlit's widgets say in English and can be told no other way.

    The English is taken out, for screen readers too; the text stands in its place as content, which they read.
    """
    if choice() == ENGLISH:
        return
    largest = st.get_option("server.maxUploadSize")
    words = (
        (f"{DROP} > span button [data-testid=stMarkdownContainer]", "p", say("Choose a file")),
        (
            f"{DROP} > [data-testid=stFileUploaderDropzoneInstructions] > div",
            "span",
            say("Up to {size} MB", size=largest),
        ),
        (f"{DROP} > input + div:not([data-testid])", "*", say("Drop the file here")),
        (f"[data-testid=stSelectboxVirtualDropdown] {NOTHING}", "span", say("Nothing of that name")),
        (f"[data-testid=stMultiSelectDropdown] {NOTHING}", "span", say("Nothing of that name")),
        (f"[data-testid=stTextInput] {ENTERED}", "span:first-child", say("Enter keeps it")),
        (f"[data-testid=stNumberInput] {ENTERED}", "span:first-child", say("Enter keeps it")),
        (f"[data-testid=stTextArea] {ENTERED}", "span:first-child", say("Ctrl+Enter keeps it")),
        (f"[data-testid=stMainMenuItem-print] {ITEM}", "[data-testid=stMainMenuItemLabel]", say("Print")),
        (
            f"[data-testid=stMainMenuItem-recordScreencast] {ITEM}",
            "[data-testid=stMainMenuItemLabel]",
            say("Record screen"),
        ),
    )
    rules = "".join(
        f"{place}:has(> {english})::before {{content: {_css_quote(text)}; font-size: 0.875rem}}"
        f"{place} > {english} {{display: none}}"
        for place, english, text in words
    )
    # text that stands in a button by itself cannot be taken out, only made to take no room
    bare = (
        ("[data-testid=stMainMenuItem-theme-System]", say("As the system")),
        ("[data-testid=stMainMenuItem-theme-Light]", say("Light")),
        ("[data-testid=stMainMenuItem-theme-Dark]", say("Dark")),
        ("[data-testid=stStatusWidget] button[data-testid=stBaseButton-header]", say("Stop")),
    )
    rules += "".join(
        f"{place} {{font-size: 0}} {place} > span {{font-size: 1rem}}"
        f"{place}::after {{content: {_css_quote(text)}; font-size: 0.875rem}}"
        for place, text in bare
    )
    # the field behind the button says "file upload", and nobody comes to it but by the button
    st.html(f"<style>{rules}{DROP} > input {{visibility: hidden}}</style>")


HEAD = "chart_head_"
"""How the key of a container begins that holds the sentence of a chart and its control."""


ON_ACCENT = "light-dark(#FFFFFF, #131417)"
"""The colour of text on the accent: white on the dark accent of the light theme, near black on the light one."""


def roomy() -> None:
    """Leave less empty above a page, so that its sentence is in view where the window is small or zoomed.

    For the same reason the control of a chart stays beside its sentence, however many lines that takes. Text on the
    accent can be read in both themes: Streamlit writes it in white, which is too pale on the accent of the dark one. On
    a phone, where what stands beside each other stands below each other, lines of answers are set apart, and what is
    said in passing stands below, not over the title. Texts of charts have the page's ink, which Streamlit writes too
    pale to read; where a text is on a colour, or hovers, it keeps its own.
    """
    st.html(
        "<style>[data-testid=stMainBlockContainer] {padding-top: 3.75rem}"
        "[data-testid=stPlotlyChart] :is(.infolayer, .textpoint, .xtick, .ytick) text {fill: currentColor !important}"
        f"button[kind^=primary]:not(:disabled), button[kind^=primary]:not(:disabled) * {{color: {ON_ACCENT}}}"
        f"[data-testid=stMultiSelect] span[title], [data-testid=stMultiSelect] span[title] ~ * {{color: {ON_ACCENT}}}"
        f'h1, h2, h3, [class*="st-key-{HEAD}"] p {{{_lines()}}}'
        f'[class*="st-key-{HEAD}"] {{flex-wrap: nowrap}} [class*="st-key-{HEAD}"] > :first-child {{min-width: 0}}'
        '@media (max-width: 640px) {[class*="st-key-release-line"] {margin-top: 1.25rem}'
        "[data-testid=stToastContainer] {top: auto; bottom: 1rem}}"
        "@media (max-height: 500px) {[data-testid=stMainBlockContainer] > [data-testid=stVerticalBlock] {gap: 0.5rem}}"
        "</style>"
    )


def _lines() -> str:
    """How a heading breaks into lines: of like length, and in Japanese never within a phrase.

    Streamlit's page says that it is English, whatever is on it; the locale tells the breaker of lines better.
    """
    breaks = "auto-phrase" if choice() == "ja" else "normal"
    return f'text-wrap: balance; -webkit-locale: "{choice()}"; word-break: {breaks}'


SKIPS = Readings(
    files=phrase("Skip to the files"),
    settings=phrase("Skip to the settings"),
    run=phrase("Skip to Run"),
    answers=phrase("Skip to what to do next"),
    downloads=phrase("Skip to the downloads"),
    onward=phrase("Skip to the next page"),
)
"""Places on a page and the links that lead there, first of all that Tab comes to."""


def skip_links(names: Sequence[str]) -> None:
    """Links to places that :func:`place` marks, past the menu and the form; each is seen while it has the focus."""
    links = "".join(f'<a class="skip" href="#skip-to-{name}">{html.escape(SKIPS[name])}</a>' for name in names)
    st.html(
        "<style>a.skip {position: fixed; top: 0.5rem; left: -200vw; z-index: 1000000; padding: 0.5rem;"
        f"background: #FCFCFB; color: #14161A}} a.skip:focus {{left: 0.5rem}}</style>{links}"
    )


def place(name: str) -> None:
    """Mark this place as where a link to ``#skip-to-`` and that name leads."""
    st.html(f'<div id="skip-to-{name}" tabindex="-1"></div>')


UP = (
    "<script>{const page = document.querySelector('[data-testid=stMain]');"
    "const within = document.getElementById('go-up').dataset.within * innerHeight;"
    "if (page && page.scrollTop <= within) page.scrollTo({top: 0})}</script>"
)
"""Goes to the top of the page where that is so few windows away."""
ANYWHERE, NEAR = 1_000_000, 2
"""Windows from the top: wherever somebody is, or where they look at how far a run is and not at what stands below."""


def go_up(within: int) -> None:
    """Show the top of the page to whoever is at most so many windows below it."""
    moment = time.monotonic_ns()  # what is the same as before would not be run again
    st.html(f'<div id="go-up" data-at="{moment}" data-within="{within}"></div>{UP}', unsafe_allow_javascript=True)


DRAWN = ("PlotlyChart.*.js", "DataFrame.*.js", "StreamlitSyntaxHighlighter.*.js")
"""Parts of Streamlit's own pages that draw charts, tables and code."""


def ahead() -> None:
    """Have the browser read, once the page is there, what draws charts and tables.

    Otherwise the first page with a chart waits a second for it. The files are Streamlit's and come from this server;
    the text is a constant, so no value of anybody is run.
    """
    static = Path(file_util.get_static_dir())
    parts = [part.relative_to(static) for name in DRAWN for part in sorted((static / "static/js").glob(name))]
    scripts = "".join(f'<script type="module" src="./{part.as_posix()}"></script>' for part in parts)
    if scripts:
        st.html(f"<div>{scripts}</div>", unsafe_allow_javascript=True)


def _css_quote(text: str) -> str:
    """The text as CSS writes it, so that no sign of it means anything there."""
    return '"' + "".join(sign if sign.isalnum() else f"\\{ord(sign):06x}" for sign in text) + '"'
