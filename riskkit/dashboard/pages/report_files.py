"""What is taken away from the page Report: who may read it, what stands on the cover, and the files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from mimetypes import guess_type
from pathlib import Path
from typing import Any

import streamlit as st

from riskkit import registry
from riskkit.audit.output_files import PACK, REPORTS, outputs, register, restricted_log, with_number, write_restricted
from riskkit.audit.selftest_result import last
from riskkit.dashboard import login
from riskkit.dashboard.frame import shell, state, styles, switches
from riskkit.dashboard.frame.shell import plain
from riskkit.jobs.store import Audit
from riskkit.judging.provenance import Cover
from riskkit.language import Readings, again, counted, joined, keep_speaking, phrase, say
from riskkit.report import texts
from riskkit.report.document import SETTINGS
from riskkit.report.labels import sentences, warning
from riskkit.report.lines import class_of
from riskkit.report.pack import pack
from riskkit.report.to_csv import to_csv
from riskkit.report.to_html import to_html
from riskkit.report.to_json import as_dict, to_json
from riskkit.report.to_pdf import page_one, to_pdf
from riskkit.show.model import Class, Findings
from riskkit.show.profile import PLAIN, ROOM, Profile

KEY = "report"
TAKEN = {"pdf": "PDF", "html": "HTML", "zip": "pack", "json": "JSON", "csv": "CSV"}
"""What is written down of a file that was taken."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the user chose for the report; titles are the user's own words."""

    kind: str
    tells_columns: bool
    cover: Cover = field(default_factory=Cover)
    profile: str = PLAIN


ON_SCREEN = Options(str(Class.RESTRICTED), True)
"""Whoever opened the audit may see the names in it; what is taken away has the class that is chosen."""
WORDS = Readings(
    organisation=phrase("Who releases it"),
    data_set=phrase("What the data are called"),
    use=phrase("What it is released for"),
    recipients=phrase("Who gets it"),
    title=phrase("Title on the cover"),
    by=phrase("Who is responsible for it"),
)
"""What page one says in the steward's own words, as its form asks for it; ``setting`` is chosen among a few."""
ON_PAGE_ONE = ("organisation", "recipients", "use")
"""Those without which page one has an empty line."""


def options(audit: Audit) -> Options:
    """The options as they stand; their controls are drawn by :func:`downloads`, and their words kept with the audit."""
    chosen = st.session_state
    return Options(
        str(chosen.get(f"{KEY}.kind") or Class.SHAREABLE),
        bool(chosen.get(f"{KEY}.columns", False)),
        audit.cover,
        str(chosen.get(f"{KEY}.profile") or PLAIN),
    )


def downloads(audit: Audit, findings: Findings) -> None:
    """Page one as it is printed; beside it the class of the report, its cover, and its files."""
    styles.place("downloads")
    st.header(say("Download the report"), anchor=False)
    picture, controls = st.columns((7, 4), gap="large")
    with controls:
        _controls(audit, findings)
    with picture, st.container(border=True), shell.guard():
        what = f"page one {as_dict(findings)['sha256']}"
        image = state.cached(what, audit, lambda: page_one(findings))
        st.image(image, width="stretch", alt=say("Page one as it is printed"))
        if st.button(say("Enlarge"), key=f"{KEY}.enlarge", icon=":material/zoom_in:"):
            _enlarge(image)


def _enlarge(image: bytes) -> None:
    """Page one as wide as the window, to be read on the screen."""
    page = st.dialog(say("Page one as it is printed"), width="large")(st.image)
    page(image, width="stretch")


def _controls(audit: Audit, findings: Findings) -> None:
    """Who may read the report, what stands on page one, and its files."""
    st.segmented_control(
        say("Who may read it"),
        list(texts.TITLES_OF_CLASSES),
        key=f"{KEY}.kind",
        format_func=texts.TITLES_OF_CLASSES.__getitem__,
        default="shareable",
        required=True,
        persist_state="session",
        help=class_of(findings),
    )
    _profile()
    _words(audit)
    if not findings.is_restricted:
        switches.checkbox(
            say("Name the columns"),
            key=f"{KEY}.columns",
            persist_state="session",
            help=say(
                "Their names stand in the released file too. Without them they are column 1, column 2, and so on."
            ),
        )
        _shareable(audit, findings)
    else:
        _restricted_report(audit, findings)


def _words(audit: Audit) -> None:
    """What page one says of the release in the steward's own words; it is kept with the audit."""
    cover = audit.cover
    _word(audit, "by", st.text_input, WORDS["by"], max_chars=200)
    if empty := [WORDS[name] for name in ON_PAGE_ONE if not getattr(cover, name)]:
        lines = joined(line[:1].lower() + line[1:] for line in empty)
        many = counted(
            len(empty),
            "{n} line of page one is empty: {lines}.",
            "{n} lines of page one are empty: {lines}.",
            lines=lines,
        )
        st.markdown(f":material/edit: {many}")
    with st.expander(say("Fill in page one")):
        for name in WORDS:
            if name != "by":
                placeholder = again(texts.TITLE) if name == "title" else None
                _word(audit, name, st.text_input, WORDS[name], placeholder=placeholder, max_chars=200)
        _word(
            audit,
            "setting",
            st.selectbox,
            say("Who may open it"),
            list(dict.fromkeys(["", *SETTINGS, cover.setting])),
            format_func=lambda setting: SETTINGS.get(setting, setting) or say("not stated"),
        )


def _word(audit: Audit, name: str, widget: Callable[..., Any], *what: Any, **how: Any) -> None:
    """A field of the cover; what is entered in it is kept at once."""

    def save(text: str) -> None:
        audit.cover_with(Cover.from_dict({**asdict(audit.cover), name: text}))

    state.keep(widget, f"{KEY}.{audit.id}.{name}", getattr(audit.cover, name), save, *what, **how)


def _profile() -> None:
    """Which template the findings are laid out by, with what it follows and what a figure means there."""
    known = registry.plugins(ROOM)
    chosen = st.selectbox(
        say("Laid out for"),
        list(known),
        index=list(known).index(PLAIN),
        key=f"{KEY}.profile",
        format_func=lambda name: say(known[name].title),
        persist_state="session",
        help=say(
            "The same numbers in the order of that reader's template. What riskkit does not answer stays empty, "
            "with the reason."
        ),
    )
    if chosen == PLAIN:
        return
    profile: Profile = known[chosen]()
    source = profile.source()
    st.caption(plain(f"{source.title}. {source.publisher}, {source.date}. {profile.figure()}"))


def name_of(findings: Findings, ending: str) -> str:
    """A file name that no other build has: a browser or a cache can never hand out an older report under it."""
    stamp = "".join(sign for sign in findings.made[:19] if sign.isdigit())
    return f"riskkit_{findings.kind}_{findings.id[:12]}_{stamp}{ending}"


def _shareable(audit: Audit, findings: Findings) -> None:
    tables = to_csv(findings)
    ordinal = with_number(audit, findings)
    if warning(ordinal):
        st.warning(plain(" ".join(sentences(ordinal))), icon=":material/content_copy:")
    else:
        st.caption(plain(" ".join(sentences(ordinal))))

    with_appendix = switches.toggle(
        say("Appendix in the PDF"),
        key=f"{KEY}.appendix",
        help=say("All numbers, columns, repairs, methods, provenance and glossary. The HTML has them folded away."),
    )
    is_filled_in = all(getattr(audit.cover, name) for name in ON_PAGE_ONE)
    files = st.container(horizontal=True)  # each as wide as its label, which columns of one width would cut

    def offer(key: str, label: str, ending: str, icon: str, about: str, make: Callable[[Findings], bytes]) -> None:
        """A file that is made when it is asked for, and written down as taken."""
        files.download_button(
            label,
            keep_speaking(lambda: make(register(audit, findings, TAKEN[key]))),
            name_of(findings, ending),
            guess_type(f"report{ending}")[0],
            key=f"{KEY}.{key}",
            on_click="ignore",
            icon=f":material/{icon}:",
            type="primary" if key == "pdf" and is_filled_in else "secondary",
            help=about,
        )

    about = say(
        "Page one is for the decision: verdicts, what to do, and a place to sign. After it, at most one "
        "page for each question."
    )
    offer("pdf", say("PDF"), ".pdf", "picture_as_pdf", about, lambda run: to_pdf(run, with_appendix=with_appendix))
    about = say("The same in one file that opens in any browser, with the appendix; nothing in it is fetched.")
    offer("html", say("HTML"), ".html", "html", about, to_html)
    about = say(
        "PDF, HTML, JSON, CSV and the last self-test, with a manifest of their SHA-256; check it with "
        "riskkit report PACK --verify."
    )
    offer(
        "zip",
        say("Evidence pack (ZIP)"),
        ".zip",
        "folder_zip",
        about,
        lambda run: outputs(run, selftest=_selftest(), with_appendix=with_appendix)[PACK],
    )
    offer("json", say("JSON"), ".json", "data_object", say("Everything, for other programs."), to_json)
    about = say("One tidy table of each kind, for a spreadsheet: {tables}.", tables=", ".join(tables))
    offer("csv", say("CSV tables (ZIP)"), "_csv.zip", "table", about, lambda run: pack(run, tables))


def _selftest() -> bytes | None:
    """The last self-test of this installation, for the evidence pack."""
    return last(state.store().home)


def _restricted_report(audit: Audit, findings: Findings) -> None:
    """A restricted report is written on this computer: what a browser downloads has an address without a lock."""
    st.caption(
        say(
            "It is not offered as a download, because whoever learns the address of a download can fetch it. It is "
            "written into the folder of this audit, which only the account that runs riskkit can open."
        )
    )
    left, right = st.columns(2)
    who = left.text_input(say("Who asks for it"), key=f"{KEY}.asked_by", max_chars=200, persist_state="session")
    what = right.text_input(say("What for"), key=f"{KEY}.purpose", max_chars=200, persist_state="session")
    agreed = switches.checkbox(
        say("Whoever reads it may see the real table, and it stays where nobody else can open it."),
        key=f"{KEY}.agreed",
        help=say("Name and purpose stand on the cover and in the log beside the report."),
    )
    is_said = bool(agreed and who.strip() and what.strip())
    is_ready = login.control() and is_said
    if not is_said:
        st.caption(say("To write the report, say who asks for it and what for, and confirm who may read it."))
    is_pressed = st.button(
        say("Write the restricted report"),
        key=f"{KEY}.write",
        icon=":material/lock:",
        type="primary",
        disabled=not is_ready,
    )
    if is_pressed and is_ready:
        folder = audit.path / REPORTS / name_of(findings, "")
        asked = replace(findings, asked_by=who.strip(), purpose=what.strip())
        register(audit, asked, "report")
        with st.spinner(say("Writing the report")):
            write_restricted(outputs(asked, selftest=_selftest()), folder, asked, folder.parent)
        st.session_state[f"{KEY}.written"] = str(folder)
    written = st.session_state.get(f"{KEY}.written")
    if written and Path(written).parent.parent == audit.path:
        st.success(say("The report is written on the computer that runs this dashboard:"), icon=":material/lock:")
        st.code(written, language=None, wrap_lines=True)
    log = restricted_log(audit.path / REPORTS)
    if log:
        with st.expander(say("Restricted reports of this audit: {log:,}", log=len(log))):
            st.text("\n".join(log))
