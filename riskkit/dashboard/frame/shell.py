"""What every page has around it: title and strip, the empty state, problems and errors, and text kept from Markdown.

Data values are shown in ``st.dataframe`` and ``st.text`` alone. A name that came with a file (of a column, of the file
itself) passes through :func:`plain` before it meets Markdown.
"""

from __future__ import annotations

import logging
import re
import secrets
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

import streamlit as st

from riskkit import wording
from riskkit.audit import sample
from riskkit.dashboard import safety
from riskkit.dashboard.frame import run_state, state, styles
from riskkit.errors import Gravity, Problem, RiskkitError, place
from riskkit.jobs.database import glance
from riskkit.jobs.runs import Run
from riskkit.jobs.store import RELEASE_SLOTS, SLOTS, Audit
from riskkit.language import Readings, again, counted, counting, phrase, say, speaking
from riskkit.questions import question
from riskkit.report.texts import slot as slot_title

LOG = logging.getLogger("riskkit.dashboard")
AUDIT_PAGE, DATA_PAGE, MEMBERSHIP_PAGE = "pages/0_audit.py", "pages/1_data.py", "pages/2_membership.py"
RECORDS_PAGE, COMPARE_PAGE, REPORT_PAGE = "pages/3_records.py", "pages/7_compare.py", "pages/7_report.py"
SHOWN = 5
"""Problems of one gravity that stand open; the rest are folded under them."""

GRAVITY = Readings(
    {
        Gravity.ERROR: (":material/cancel:", phrase("Must be corrected"), "red"),
        Gravity.QUESTION: (":material/help:", phrase("Please check"), "violet"),
        Gravity.WARNING: (":material/warning:", phrase("Be aware"), "orange"),
        Gravity.REPAIR: (":material/build:", phrase("Changed while reading"), "gray"),
    }
)
"""Icon, word and colour, gravest first. The colour repeats what icon and word say."""

K = TypeVar("K")
JOINER = "\u2060"
"""Has no width; keeps apart what Markdown would otherwise join into a link, an icon or an arrow."""
MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$&!^])")
JOINED = re.compile(r"(:(?!\s)|@|www(?=\.)|[-<>~](?=[-=>]))")
LINE_START = re.compile(r"^(\d*)(?=[-+=.)])")
"""What would begin a list, or underline a heading. The sign is escaped: a number that is copied stays a number."""


def plain(text: str) -> str:
    """Text that came with a file, to be read letter by letter wherever Streamlit takes Markdown.

    No link, image, emphasis, formula, icon or HTML comes of it; line breaks and control characters become spaces.
    """
    apart = JOINED.sub(rf"\1{JOINER}", option(text))
    return LINE_START.sub(r"\1\\", MARKUP.sub(r"\\\1", apart))


def option(text: str) -> str:
    """Text that came with a file, for a menu: it shows every letter as it is, and so a backslash of :func:`plain` too.

    Line breaks and control characters become spaces.
    """
    line = " ".join("".join(" " if unicodedata.category(sign)[0] == "C" else sign for sign in text).split())
    return line.replace("。 ", "。")  # Japanese sets nothing between two sentences


def quiet(markdown: str) -> str:
    """Small and grey, yet dark enough to be read: for what stands beside the thing that matters."""
    return f":small[:gray[{markdown}]]"


def tell_apart(lines: Mapping[K, str], short: Callable[[K], str] = lambda own: str(own)[:6]) -> dict[K, str]:
    """Each line by the id of what it is about; with what is short for that where several say the same."""
    same = Counter(lines.values())
    return {own: line if same[line] == 1 else f"{line} · {short(own)}" for own, line in lines.items()}


def title(text: str) -> None:
    """The title of a page that is about no single audit."""
    state.say_what_was_told()
    styles.roomy()
    styles.own_words()
    st.title(text, anchor=False)


def header(question: str, audit: Audit | None) -> None:
    """The page's title, a question, and under it which audit is open and how it stands."""
    title(question)
    if audit is None:
        st.markdown(quiet(say("No audit is open.")))
        return
    is_done, work = _work(audit)
    files, parts = audit.files, files_in_words(audit)
    further = [files[slot]["rows"] for slot in RELEASE_SLOTS[1:] if slot in files]
    if further:
        parts.append(
            counted(
                len(further),
                "{n:,} further release, {rows:,} rows",
                "{n:,} further releases, {rows:,} rows",
                rows=sum(further),
            )
        )
    facts = [*parts, *work, say("saved {ago}", ago=ago(audit.saved_seconds_ago))]
    now = [] if is_done else work
    about = "\n\n".join(filter(None, (" · ".join(facts), _hashes(audit))))
    st.markdown(quiet(" · ".join([f"**{plain(audit.name)}**", *now])), help=about)
    styles.place("result")
    state.let_browser_draw()


def files_in_words(audit: Audit) -> list[str]:
    """The files that are loaded, or why none is."""
    files = audit.files
    if not files:
        return [say("files removed, {purged}", purged=audit.purge_time) if audit.purge_time else say("no file loaded")]
    return [
        say("{table} {rows:,} rows", table=slot_title(slot), rows=files[slot]["rows"])
        for slot in SLOTS
        if slot in files
    ]


def _hashes(audit: Audit) -> str | None:
    """Name and full SHA-256 of each file, for the tooltip."""
    lines = [
        f"{slot_title(slot)}: {plain(facts['name'])}  \n`{facts['sha256']}`" for slot, facts in audit.files.items()
    ]
    return say("SHA-256 of the files\n\n") + "\n\n".join(lines) if lines else None


def _work(audit: Audit) -> tuple[bool, list[str]]:
    """Whether what was asked last is finished; what it was, and how far that is."""
    missing = [slot for slot in ("real", "synthetic") if slot not in audit.files]
    revision = audit.revision
    newest = next((run for run in audit.runs() if _is_of(run, revision)), None)
    if newest is None:
        waits = say("waits for the {missing} table", missing=say(" and the ").join(map(slot_title, missing)))
        return False, [waits if missing else _fit(audit)]
    progress = newest.progress
    state_now = str(progress["state"])
    words = say("under way") if state_now == "queued" else run_state.word(state_now)  # it stands on while a run begins
    if state_now == "running" and progress.get("total"):
        units = wording.plural(progress["total"], question(newest.question).plan.unit)
        words = say("running, {done:,} of {units}", done=progress["done"], units=units)
    return state_now == "finished", [plain(run_state.question(newest.question)), words]


def _fit(audit: Audit) -> str:
    """Whether files that are all there can be asked anything."""
    try:
        state.tables(audit)
    except RiskkitError:
        return say("its files do not fit together yet")
    return say("ready, nothing run yet")


def _is_of(run: Run, revision: str) -> bool:
    """Whether a run was started on those data; a damaged one was on none."""
    try:
        return run.revision == revision
    except RiskkitError:
        return False


def ago(seconds: float) -> str:
    """How long ago, in the largest unit that says enough."""
    if seconds >= 86_400:
        return counted(int(seconds // 86_400), "{n} day ago", "{n} days ago")
    if seconds >= 3_600:
        return say("{hours} h ago", hours=int(seconds // 3_600))
    if seconds >= 60:
        return say("{minutes} min ago", minutes=int(seconds // 60))
    return say("{seconds} s ago", seconds=int(seconds))


def empty(audit: Audit | None, needed: Sequence[str] = ("real", "synthetic")) -> None:
    """What a page shows that has nothing to show yet: why, and the two ways on."""
    missing = [slot for slot in needed if audit is None or slot not in audit.files]
    if audit is None:
        st.header(say("Nothing is loaded yet"), anchor=False)
        st.markdown(
            say("Open the sample audit to look around, or load a real table and the synthetic table made from it.")
        )
    else:
        st.header(
            say(
                "This page needs the {missing} table",
                missing=say(" and the ").join(map(slot_title, missing)) or slot_title("real"),
            ),
            anchor=False,
        )
        st.markdown(
            counted(
                max(len(missing), 1),
                "Load it on the page Audit, or open the sample audit to see what this page shows.",
                "Load them on the page Audit, or open the sample audit to see what this page shows.",
            )
        )
    with st.container(horizontal=True):
        sample_button()
        if st.button(
            say("Load your files"), key="empty_load", help=say("Go to the page Audit, where files are loaded.")
        ):
            st.switch_page(AUDIT_PAGE)


def onward(pages: Sequence[st.Page], opened: st.Page) -> None:
    """The way to the page that comes next in the order of the work, once an audit is open; the last leads to the first.

    The report ends the work. Without an audit the page itself says what to do first.
    """
    with guard():
        if state.current() is not None and opened.url_path != "report":
            following = pages[(list(pages).index(opened) + 1) % len(pages)]
            styles.place("onward")
            label = say("Next: {page}", page=following.title)
            st.page_link(following, label=label, icon=":material/arrow_forward:")


def compare(before: Audit, after: Audit) -> None:
    """Go to the page that compares the releases of these two."""
    st.session_state["compare.left"], st.session_state["compare.right"] = before.id, after.id
    st.switch_page(COMPARE_PAGE)


def sample_button(*, beside: bool = False) -> None:
    """The button that opens the sample audit; it loads the files only, its games are played elsewhere.

    It steps back where it stands ``beside`` a button that comes first.
    """
    hint = say("A made-up hospital cohort of 2,000 people with its release. Nobody in it is real.")
    if st.button(
        say("Open the sample audit"), key="empty_sample", type="secondary" if beside else "primary", help=hint
    ):
        with st.spinner(say("Opening the sample audit")):
            state.show(sample.load_sample(state.store()))
        st.rerun()


def problem_list(problems: Iterable[Problem]) -> None:
    """Every problem with its repair, gravest first; a word and an icon say how grave."""
    known = list(problems)
    for gravity in GRAVITY:
        same = [problem for problem in known if problem.gravity is gravity]
        _problems(same[:SHOWN])
        if len(same) > SHOWN:
            with st.expander(
                say("{more} more: {gravity}", more=len(same) - SHOWN, gravity=GRAVITY[gravity][1].lower())
            ):
                _problems(same[SHOWN:])


def _problems(problems: Sequence[Problem]) -> None:
    for problem in problems:
        icon, word, colour = GRAVITY[problem.gravity]
        where = plain(wording.place(problem))
        text = f":{colour}[{icon} **{word}**] {f'· {where}: ' if where else '· '}{plain(again(problem.what))}"
        st.markdown(f"{text}  \n{plain(again(problem.do))}" if problem.do else text)


def sentence_error(error: RiskkitError) -> None:
    """Show an error of ours: its sentence says what, where, and what to do."""
    st.error(plain(wording.refusal(error)), icon=":material/cancel:")


@contextmanager
def guard() -> Iterator[None]:
    """Let no traceback reach the screen or the log. Wrap a page in it, and the body of every fragment.

    An error of ours is shown as its sentence. Any other error may hold the value of a cell in its text, so only a
    reference is shown, and the log gets its type and the place in the code beside that reference. Where Streamlit
    serves the pages without the doors in front, none of them shows anything.
    """
    with speaking(state.language()):
        if safety.is_served_openly():
            st.error(
                say(
                    "Started in this way, the dashboard is open to every account on this computer. Start it with: "
                    "riskkit app"
                )
            )
            st.stop()
        try:
            with glance(), counting(state.unit()):
                yield
        except RiskkitError as error:
            sentence_error(error)
        except (Exception, SystemExit) as error:  # noqa: BLE001  the last resort of a page; logged, by type and place alone
            reference = secrets.token_hex(4).upper()
            LOG.error("%s: %s at %s", reference, type(error).__name__, place(error, 5))
            st.error(
                say(
                    "Something unexpected happened (reference {reference}); nothing was lost. Reload the page; if it "
                    "happens again, the server's log has the reference.",
                    reference=reference,
                )
            )
