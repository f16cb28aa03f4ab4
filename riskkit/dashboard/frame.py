"""What every page has around it: title and strip, the empty state, problems and errors, and text kept from Markdown.

Data values are shown in ``st.dataframe`` and ``st.text`` alone. A name that came with a file (of a column, of the file
itself) passes through :func:`plain` before it meets Markdown.
"""

from __future__ import annotations

import logging
import re
import secrets
import traceback
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import streamlit as st

from riskkit.audit import sample
from riskkit.audit.runs import Run
from riskkit.audit.store import SLOTS, Audit
from riskkit.dashboard import state
from riskkit.errors import Gravity, Problem, RiskkitError
from riskkit.report import words

LOG = logging.getLogger("riskkit.dashboard")
DATA_PAGE = "pages/1_data.py"
SHOWN = 5
"""Problems of one gravity that stand open; the rest are folded under them."""

GRAVITY = {
    Gravity.ERROR: (":material/cancel:", "Must be mended", "red"),
    Gravity.QUESTION: (":material/help:", "Please check", "violet"),
    Gravity.WARNING: (":material/warning:", "Be aware", "orange"),
    Gravity.REPAIR: (":material/build:", "Changed while reading", "gray"),
}
"""Icon, word and colour, gravest first. The colour repeats what icon and word say."""

JOINER = "\u2060"
"""Has no width; keeps apart what Markdown would otherwise join into a link, an icon or an arrow."""
MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$&!^])")
JOINED = re.compile(r"(:|@|www(?=\.)|[-<>~](?=[-=>]))")
LINE_START = re.compile(r"^([-+=]|\d+(?=[.)]))")


def plain(text: str) -> str:
    """Text that came with a file, to be read letter by letter wherever Streamlit takes Markdown.

    No link, image, emphasis, formula, icon or HTML comes of it; line breaks and control characters become spaces.
    """
    line = " ".join("".join(" " if unicodedata.category(sign)[0] == "C" else sign for sign in text).split())
    apart = JOINED.sub(rf"\1{JOINER}", line)
    return LINE_START.sub(rf"{JOINER}\1{JOINER}", MARKUP.sub(r"\\\1", apart))


def quiet(markdown: str) -> str:
    """Small and grey, yet dark enough to be read: for what stands beside the thing that matters."""
    return f":small[:gray[{markdown}]]"


def header(title: str, audit: Audit | None) -> None:
    """The page's title and, under it, which audit is open and how it stands."""
    st.title(title, anchor=False)
    if audit is None:
        st.markdown(quiet("No audit is open."))
        return
    parts = [f"**{plain(audit.name)}**", *_files(audit), *_work(audit), f"saved {ago(audit.saved_seconds_ago)}"]
    st.markdown(quiet(" · ".join(parts)), help=_hashes(audit))


def _files(audit: Audit) -> list[str]:
    files = audit.files
    if not files:
        return [f"files removed for their age, {audit.purged}" if audit.purged else "no file loaded"]
    return [f"{slot} {files[slot]['sha256'][:8]}, {files[slot]['rows']:,} rows" for slot in SLOTS if slot in files]


def _hashes(audit: Audit) -> str | None:
    """Name and full SHA-256 of each file, for the tooltip."""
    lines = [f"{slot}: {plain(facts['name'])}  \n`{facts['sha256']}`" for slot, facts in audit.files.items()]
    return "SHA-256 of the files\n\n" + "\n\n".join(lines) if lines else None


def _work(audit: Audit) -> list[str]:
    """The generators that were looked at, and how far the newest run is."""
    missing = [slot for slot in ("real", "synthetic") if slot not in audit.files]
    revision = audit.revision
    newest = next((run for run in audit.runs() if run.revision == revision), None)
    if newest is None:
        return [f"waits for the {' and the '.join(missing)} table"] if missing else ["ready, nothing run yet"]
    progress = newest.progress
    state_now = str(progress["state"])
    said = "under way" if state_now == "queued" else state_now  # the strip stands on while the run begins
    if said == "running" and progress.get("total"):
        said = f"running, {progress['done']:,} of {words.plural(progress['total'], newest.unit)}"
    return [_label(newest), said]


def _label(run: Run) -> str:
    """What was played; an old run may name a plug-in that is no longer here."""
    try:
        return plain(run.plan.label)
    except RiskkitError:
        return "a generator or an attack that is no longer here"


def ago(seconds: float) -> str:
    """How long ago, in the largest unit that says enough."""
    for size, unit in ((86_400, "day"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'s' if unit == 'day' and count > 1 else ''} ago"
    return f"{int(seconds)} s ago"


def empty(audit: Audit | None) -> None:
    """What a page shows that has nothing to show yet: why, and the two ways on."""
    missing = [slot for slot in ("real", "synthetic") if audit is None or slot not in audit.files]
    if audit is None:
        st.header("Nothing is loaded yet", anchor=False)
        st.markdown("Open the sample audit to look around, or load a real table and the synthetic table made from it.")
    else:
        st.header(f"This page needs the {' and the '.join(missing) or 'real'} table", anchor=False)
        st.markdown("Load it on the Data page, or open the sample audit to see what this page shows.")
    with st.container(horizontal=True):
        sample_button()
        if st.button("Load your files", key="empty_load", help="Go to the Data page, where files are loaded."):
            st.switch_page(DATA_PAGE)


def onward(pages: Sequence[st.Page], opened: st.Page) -> None:
    """The way to the page that comes next in the order of the work, once an audit is open; the last leads to the first.

    Without an audit the page itself says what to do first.
    """
    with guard():
        if state.current() is not None:
            following = pages[(list(pages).index(opened) + 1) % len(pages)]
            st.page_link(following, label=f"Next: {state.bare(following.title)}", icon=":material/arrow_forward:")


def sample_button() -> None:
    """The button that opens the sample audit; it loads the files only, its games are played elsewhere."""
    told = "A made hospital cohort of 2,000 people with its release. Nobody in it is real."
    if st.button("Open the sample audit", key="empty_sample", type="primary", help=told):
        with st.spinner("Opening the sample audit"):
            state.show(sample.load_sample(state.store()))
        st.rerun()


def problem_list(problems: Iterable[Problem]) -> None:
    """Every problem with its repair, gravest first; a word and an icon say how grave."""
    known = list(problems)
    for gravity in GRAVITY:
        same = [problem for problem in known if problem.gravity is gravity]
        _problems(same[:SHOWN])
        if len(same) > SHOWN:
            with st.expander(f"{len(same) - SHOWN} more: {GRAVITY[gravity][1].lower()}"):
                _problems(same[SHOWN:])


def _problems(problems: Sequence[Problem]) -> None:
    for problem in problems:
        icon, word, colour = GRAVITY[problem.gravity]
        where = plain(_where(problem))
        told = f":{colour}[{icon} **{word}**] {f'· {where}: ' if where else '· '}{plain(problem.what)}"
        st.markdown(f"{told}  \n{plain(problem.do)}" if problem.do else told)


def _where(problem: Problem) -> str:
    """File, column and line, as far as they are known."""
    column = f"column {problem.column}" if problem.column else ""
    line = f"line {problem.line:,}" if problem.line else ""
    return ", ".join(part for part in (problem.file, column, line) if part)


def sentence_error(error: RiskkitError) -> None:
    """Show an error of ours: its sentence says what, where, and what to do."""
    st.error(plain(str(error)), icon=":material/cancel:")


@contextmanager
def guard() -> Iterator[None]:
    """Let no traceback reach the screen or the log. Wrap a page in it, and the body of every fragment.

    An error of ours is shown as its sentence. Any other error may hold the value of a cell in its text, so only a
    reference is shown, and the log gets its type and the place in the code beside that reference.
    """
    try:
        yield
    except RiskkitError as error:
        sentence_error(error)
    except Exception as error:  # noqa: BLE001  the last resort of a page; logged, by type and place alone
        reference = secrets.token_hex(4).upper()
        LOG.error("%s: %s at %s", reference, type(error).__name__, _place(error))
        st.error(
            f"Something unexpected happened (reference {reference}); nothing was lost. Reload the page; if it happens "
            "again, the server's log has the reference."
        )


def _place(error: Exception) -> str:
    """The innermost lines of code it passed through, innermost first, without any text of them."""
    passed = [f"{Path(frame.f_code.co_filename).name}:{line}" for frame, line in traceback.walk_tb(error.__traceback__)]
    return " < ".join(reversed(passed[-5:]))
