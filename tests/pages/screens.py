"""What the tests of pages share: made files, the app in a test browser, and all text that a page shows."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest

from riskkit.jobs.store import Audit, Store

ROOT = Path(__file__).resolve().parents[2]
APP = ROOT / "app.py"
PAGES = sorted((ROOT / "pages").glob("[0-9]*_*.py"))
AUDIT, DATA = "pages/0_audit.py", "pages/1_data.py"
LIMIT = 60
TEXTS = ("title", "header", "subheader", "markdown", "caption", "error", "warning", "info", "success", "text")


def csv(
    rows: int = 120, seed: int = 0, *, names: tuple[str, ...] = ("age", "ward", "job", "score"), words: str = "EWSX"
) -> bytes:
    """A made table: two numbers, two categories."""
    rng = np.random.default_rng(seed)
    age, ward = rng.integers(18, 90, rows), rng.choice(list(words), rows)
    job, score = rng.choice(["baker", "clerk", "Quokka"], rows), rng.integers(0, 800, rows) / 10
    lines = [",".join(f'"{name}"' for name in names)]
    lines += [f"{a},{w},{j},{s}" for a, w, j, s in zip(age, ward, job, score, strict=True)]
    return ("\n".join(lines) + "\n").encode()


def app() -> AppTest:
    """The app on its first page, the Audit."""
    return AppTest.from_file(str(APP), default_timeout=LIMIT)


def opened(audit: Audit | None, page: str = DATA, **query: str) -> AppTest:
    """The app with that audit open, on that page, come to by an address that also says this.

    What the app itself draws and does at a visit (its frame, removing what is old) is on the first page alone.
    """
    screen = app()
    for name, value in {**({"audit": audit.id} if audit else {}), **query}.items():
        screen.query_params[name] = value
    if page == AUDIT:
        return screen.run()
    screen._registered_pages = _addresses()
    return screen.switch_page(page).run()


@cache
def _addresses() -> dict[str, Any]:
    """What the app's pages are called in addresses: ``AppTest`` learns it from a first run, here one for all tests."""
    return app().run()._registered_pages


def loaded(**files: bytes) -> Audit:
    """An audit in the store with those files, by slot."""
    audit = Store.default().create("Ward study")
    for slot, source in files.items():
        audit.load(slot, source, name=f"{slot}.csv")
    return audit


def drop(screen: AppTest, slot: str, source: bytes, name: str = "") -> AppTest:
    """Drop a file into a slot."""
    screen.file_uploader(key=f"upload_{slot}").set_value((name or f"{slot}.csv", source, "text/csv"))
    return screen.run()


def press(screen: AppTest, key: str) -> AppTest:
    """Click a button."""
    return screen.button(key=key).click().run()


def keys(screen: AppTest) -> set[str]:
    """The buttons on the page."""
    return {str(button.key) for button in screen.button}


def labels(screen: AppTest) -> list[str]:
    """What the buttons on the page say."""
    return [button.label for button in screen.button]


def field(question: str, audit: Audit, *parts: str) -> str:
    """The key of a field or button in the form of that question."""
    return ".".join((question, audit.id, *parts))


def shown(screen: AppTest) -> str:
    """All text that went through Markdown, one element a line, with what keeps it from being markup taken out."""
    texts = [str(element.value) for kind in TEXTS for element in getattr(screen, kind)]
    return unmarked("\n".join([*texts, *(fold.label for fold in screen.expander)]))


def hints(screen: AppTest) -> str:
    """All that is said behind a question mark, one element a line."""
    every = [element for kind in TEXTS for element in getattr(screen, kind)]
    return unmarked("\n".join(str(getattr(element.proto, "help", "")) for element in every))


def verdicts(screen: AppTest) -> list[tuple[str, str]]:
    """The verdicts on the page from top to bottom, each with the colour it has."""
    badges = (re.fullmatch(r":(\w+)-badge\[([▲◌●] .+)\]", str(element.value)) for element in screen.markdown)
    return [(badge[1], badge[2]) for badge in badges if badge]


def refusals(screen: AppTest) -> list[str]:
    """The errors on the page, without what the released file gives away."""
    return [unmarked(box.value) for box in screen.error if not box.proto.title]


def unmarked(text: str) -> str:
    """Text as the reader sees it."""
    return text.replace("\\", "").replace("\u2060", "").replace("\u00a0", " ")


def refuses_nothing(screen: AppTest) -> bool:
    """Neither an exception nor the last-resort sentence is on the page."""
    return not screen.exception and "Something unexpected" not in shown(screen)


def healthy(screen: AppTest) -> AppTest:
    """That page, which refuses nothing."""
    assert refuses_nothing(screen)
    return screen


def from_code(code: Callable[..., None], **arguments: Any) -> AppTest:
    """A page that is this function."""
    return AppTest.from_function(code, kwargs=arguments, default_timeout=LIMIT).run()


def of_question(audit: Audit, question: str) -> AppTest:
    """The page of a question that has no file of its own."""
    return from_code(_draw, audit=audit.id, question=question)


def _draw(audit: str, question: str) -> None:
    """The page as the dashboard calls it, in the test browser."""
    import streamlit as st

    from riskkit.dashboard.pages import question_page

    st.query_params["audit"] = audit
    question_page.page(question)
