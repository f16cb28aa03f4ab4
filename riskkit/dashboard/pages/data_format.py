"""How a file of an audit is read: its encoding, delimiter and first line, said by the user or asked where guessed."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from riskkit.dashboard.frame import shell
from riskkit.errors import InputError
from riskkit.jobs.store import Audit
from riskkit.language import Readings, again, phrase, say
from riskkit.report.texts import slot as slot_title

ENCODINGS = Readings(
    {
        "utf-8": phrase("UTF-8"),
        "cp932": phrase("Japanese, Windows (cp932)"),
        "euc_jp": phrase("Japanese, Unix (euc_jp)"),
        "gb18030": phrase("Chinese, simplified (gb18030)"),
        "big5": phrase("Chinese, traditional (big5)"),
        "euc_kr": phrase("Korean (euc_kr)"),
        "cp1252": phrase("Western European, Windows (cp1252)"),
        "iso8859-1": phrase("Western European (latin-1)"),
        "iso8859-2": phrase("Central European (latin-2)"),
        "cp1250": phrase("Central European, Windows (cp1250)"),
        "cp1251": phrase("Cyrillic, Windows (cp1251)"),
        "cp1253": phrase("Greek, Windows (cp1253)"),
        "cp1254": phrase("Turkish, Windows (cp1254)"),
        "cp1257": phrase("Baltic, Windows (cp1257)"),
        "cp1255": phrase("Hebrew, Windows (cp1255)"),
        "cp1256": phrase("Arabic, Windows (cp1256)"),
        "mac-roman": phrase("Western European, old Macintosh (mac_roman)"),
        "cp850": phrase("Western European, DOS (cp850)"),
        "koi8-r": phrase("Cyrillic, Unix (koi8_r)"),
        "utf-16": phrase("UTF-16"),
    }
)
DELIMITERS = Readings(
    {",": phrase("Comma"), ";": phrase("Semicolon"), "\t": phrase("Tab"), "|": phrase("Vertical bar")}
)
FIRST_LINE = Readings(
    {
        None: phrase("Decide by what it holds"),
        True: phrase("Holds the column names"),
        False: phrase("Holds the first record"),
    }
)
ANOTHER = phrase("Reads the same bytes again with these settings.")
FIND_OUT = phrase("Detect automatically")


def is_text(facts: Mapping[str, Any]) -> bool:
    """Whether it is a file of lines, which has an encoding and a delimiter."""
    return bool(facts["encoding"])


def boxes(prefix: str, slot: str, facts: Mapping[str, Any], *, wide: bool = False) -> dict[str, Any]:
    """How a file is to be read: encoding, delimiter, first line. What is None is found out."""
    places = st.columns(3) if wide else [st.container()] * 3
    encodings: list[str | None] = list(ENCODINGS)
    delimiters: list[str | None] = list(DELIMITERS)
    now = _reading(facts) if facts else {"encoding": None, "delimiter": None, "header": None}
    for options, current in ((encodings, now["encoding"]), (delimiters, now["delimiter"])):
        if current not in options:
            options.insert(0, current)
    return {
        "encoding": places[0].selectbox(
            say("Encoding"),
            encodings,
            index=encodings.index(now["encoding"]),
            format_func=lambda name: again(FIND_OUT) if name is None else ENCODINGS.get(name, name),
            key=f"{prefix}_{slot}_encoding",
            help=say("How letters were turned into bytes. It is wrong if names or words look like nonsense."),
        ),
        "delimiter": places[1].selectbox(
            say("Delimiter"),
            delimiters,
            index=delimiters.index(now["delimiter"]),
            format_func=lambda sign: again(FIND_OUT) if sign is None else DELIMITERS.get(sign, sign),
            key=f"{prefix}_{slot}_delimiter",
            help=say("The sign between two fields."),
        ),
        "header": _first_line(places[2], prefix, slot, now),
    }


def read_again(audit: Audit, slot: str) -> None:
    """Boxes and a button that read the file another way."""
    facts = audit.files[slot]
    key = f"again_{facts['sha256'][:8]}"
    how = boxes(key, slot, facts) if is_text(facts) else {"header": _first_line(st.container(), key, slot, facts)}
    if st.button(say("Read it this way"), key=f"again_{slot}", help=again(ANOTHER)):
        _try_reading(audit, slot, how)


def encoding_questions(audit: Audit) -> None:
    """For each file whose encoding was guessed: its first rows, and the boxes to read it another way.

    The question stands until the user says that the words are right, whatever was tried in between.
    """
    for slot, facts in audit.files.items():
        asked = f"asked_{audit.id}_{slot}"
        if facts["encoding_from"] != "guess" and not st.session_state.get(asked):
            continue
        st.session_state[asked] = True
        _encoding_question(audit, slot, facts, asked)


def _encoding_question(audit: Audit, slot: str, facts: Mapping[str, Any], asked: str) -> None:
    encoding = shell.plain(ENCODINGS.get(codecs.lookup(facts["encoding"]).name, facts["encoding"]))
    st.markdown(f"### {say('Are the words of {name} right?', name=shell.plain(facts['name']))}")
    sentence = say(
        "The file does not say how its letters are written. It was read as **{encoding}**; these are its rows:",
        encoding=encoding,
    )
    if facts["encoding_from"] == "guess":
        sentence = say(
            "The file does not say how its letters are written. It was guessed as **{encoding}**; these are its rows:",
            encoding=encoding,
        )
    st.markdown(sentence)
    st.dataframe(
        audit.head(slot, 6),
        hide_index=True,
        alt=say("The first rows of the {table} table as read", table=slot_title(slot)),
    )
    how = boxes(f"ask_{facts['sha256'][:8]}", slot, facts, wide=True)
    with st.container(horizontal=True):
        sentence = say("Keep this reading; riskkit will not ask again.")
        right = st.button(say("The words are right"), key=f"right_{slot}", type="primary", help=sentence)
        other = st.button(say("Read it this way"), key=f"ask_{slot}", help=again(ANOTHER))
    if other:
        _try_reading(audit, slot, how)
    if right:
        del st.session_state[asked]
        if facts["encoding_from"] == "guess":
            _reload(audit, slot, _reading(facts))
        st.rerun()


def _try_reading(audit: Audit, slot: str, how: Mapping[str, Any]) -> None:
    """Read the file that way; a reading that cannot hold gives its sentence and changes nothing."""
    try:
        _reload(audit, slot, how)
    except InputError as error:
        shell.sentence_error(error)
    else:
        st.rerun()


def _reload(audit: Audit, slot: str, how: Mapping[str, Any]) -> None:
    with st.spinner(say("Reading the file again")):
        facts = audit.files[slot]
        how = {"sheet": facts["sheet"], **how}
        audit.load(slot, audit.source(slot), name=facts["name"], is_strange=True, **how)


def _reading(facts: Mapping[str, Any]) -> dict[str, Any]:
    """How a loaded file was read."""
    encoding = codecs.lookup(facts["encoding"]).name
    return {"encoding": encoding, "delimiter": facts["delimiter"], "header": facts.get("header")}


def _first_line(place: DeltaGenerator, prefix: str, slot: str, facts: Mapping[str, Any]) -> bool | None:
    """What the first line holds."""
    chosen: bool | None = place.selectbox(
        say("First line"),
        list(FIRST_LINE),
        index=list(FIRST_LINE).index(facts.get("header")),
        format_func=lambda holds: FIRST_LINE[holds],
        key=f"{prefix}_{slot}_header",
        help=say("Whether the first line of the file holds the names of the columns or already a record."),
    )
    return chosen
