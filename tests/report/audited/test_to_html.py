"""The report as one HTML file: whole, escaped, and on its own."""

import re
import unicodedata
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import numpy as np

from riskkit.judging.measurement import Limit
from riskkit.report.lines import line
from riskkit.report.to_html import to_html
from riskkit.show.model import Class, Findings
from tests.report.audited import made
from tests.report.audited.payloads import FORMULAS, MARKUP


class Page(HTMLParser):
    """The elements of a page with their attributes, its text, and whatever was left open."""

    EMPTY = ("meta", "br")

    def __init__(self, source: bytes) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(source.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@cache
def audit() -> Findings:
    """Findings of every kind, the same for all tests."""
    rng = np.random.default_rng(3)
    every = made.membership(rng, shifts=(1.0, 0.2)), made.released(rng), made.attributes(), made.contest()
    limits = {"membership": Limit(0.6, "Data board", "2026-03-01")}
    return made.findings(made.audit(*every, provenance=made.STAT), limits, kind=Class.RESTRICTED)


def test_it_holds_every_verdict_the_signature_and_the_appendix() -> None:
    findings = audit()
    page = Page(to_html(findings))
    text = " ".join(page.text.split())
    for answer in findings.answered():
        for cell in line(answer):
            assert " ".join(cell.split()) in text
    for words in ("limit 0.60: Data board, 2026-03-01", "do not release", "Signature", "Records at risk", "Glossary"):
        assert words in text
    assert page.open == []
    assert to_html(findings) == to_html(findings)


def test_it_fetches_nothing_and_runs_nothing() -> None:
    source = to_html(audit())
    page = Page(source)
    tags = {tag for tag, _ in page.tags}
    assert tags & {"script", "link", "iframe", "object", "embed", "form", "base", "img", "image", "a", "use"} == set()
    names = {name for _, attributes in page.tags for name in attributes}
    assert not [name for name in names if name.startswith("on")]
    assert names & {"src", "href", "xlink:href", "style", "action"} == set()
    assert "url(" not in source.decode()
    policy = next(attributes["content"] for tag, attributes in page.tags if "http-equiv" in attributes)
    assert policy is not None
    assert policy.startswith("default-src 'none'")


def test_payloads_in_a_title_are_text() -> None:
    usual = Page(to_html(audit()))
    for payload in (*FORMULAS, *MARKUP):
        check(payload, usual)


def check(payload: str, usual: Page) -> None:
    """The payload is shown, and makes no element."""
    hostile = replace(audit(), title=payload, by=payload, audit=payload)
    page = Page(to_html(hostile))
    assert [tag for tag, _ in page.tags if tag not in ("p", "dt", "dd")] == [
        tag for tag, _ in usual.tags if tag not in ("p", "dt", "dd")
    ]
    shown = re.sub(r"\s+", " ", page.text)
    hidden = ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")
    visible = "".join(f"[U+{ord(s):04X}]" if unicodedata.category(s) in hidden else s for s in payload)
    assert re.sub(r"\s+", " ", visible).strip() in shown
