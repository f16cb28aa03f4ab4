"""What every file of riskkit/profiles promises. A new profile is held to this without a line being added here."""

import re
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from riskkit import registry
from riskkit.judging.measurement import Limit
from riskkit.questions import questions
from riskkit.report.document import FACTS, blocks
from riskkit.report.to_html import to_html
from riskkit.report.to_json import as_dict
from riskkit.show.model import Class, Findings
from riskkit.show.profile import PLAIN, ROOM, Fact, Profile, Section, Source
from tests.report.audited import made
from tests.report.audited.test_to_html import Page

PROFILES = sorted(registry.plugins(ROOM))
EVERY = pytest.mark.parametrize("name", PROFILES)
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


def profile(name: str) -> Profile:
    own: Profile = registry.make(ROOM, name)
    return own


@cache
def audit(kind: Class = Class.SHAREABLE) -> Findings:
    """Findings about many questions, one of them a what-if and some not asked, under limits."""
    rng = np.random.default_rng(3)
    every = (
        made.membership(rng, shifts=(1.0, 0.2)),
        made.released(rng),
        made.attributes(),
        made.contest(),
        made.records([made.record(row, 0.4 + row / 20) for row in range(8)]),
    )
    limits = {"membership": Limit(0.61, "Data board", "2026-03-01"), "attributes": Limit(0.07, "Data board")}
    facts = made.audit(*every, provenance=made.STAT, give_aways=(made.copies(),))
    return made.findings(facts, limits, kind=kind)


@EVERY
def test_it_names_its_source_and_what_a_figure_means_there(name: str) -> None:
    source = profile(name).source()
    assert all((source.title, source.publisher, source.date, source.address))
    assert profile(name).figure().endswith(".")


@EVERY
def test_every_section_is_answered_or_says_why_it_is_empty(name: str) -> None:
    sections = profile(name).sections()
    assert bool(sections) == (name != PLAIN)
    for section in sections:
        assert section.title
        assert section.asks.endswith((".", "?"))
        assert set(section.questions) <= set(questions())
        assert section.questions or section.facts or section.empty, section.title
        assert not section.empty or section.empty.endswith(".")
        assert not section.questions or section.means, f"{section.title}: what do figures mean there?"
    numbers = [section.number for section in sections if section.number]
    assert numbers == sorted(numbers, key=lambda text: [int(part) for part in text.split(".")])


def test_every_fact_can_be_written() -> None:
    assert set(FACTS) == set(Fact)


# --- what it prints -------------------------------------------------------------------------------------------------


def texts(value: Any) -> list[str]:
    """Every text of a block, those drawn in pictures too."""
    if isinstance(value, str):
        return re.findall(r">([^<>]+)<", value) if value.startswith("<svg") else [value]
    if isinstance(value, dict):
        return [text for each in value.values() for text in texts(each)]
    return [text for each in value for text in texts(each)] if isinstance(value, list | tuple) else []


def body(findings: Findings, own: Any) -> list[str]:
    """What the profile prints behind page one and the page on which every test has a line."""
    every = blocks(replace(findings, profile=own))
    begins = [index for index, block in enumerate(every) if block.get("new_page")]
    return texts([{name: part for name, part in block.items() if name != "widths"} for block in every[begins[1] :]])


def numbers(findings: Findings) -> tuple[set[str], list[float]]:
    """The numbers that the findings hold: as they are written in their texts, and as values."""
    written: set[str] = set()
    values: list[float] = []

    def walk(value: Any) -> None:
        if isinstance(value, str):
            written.update(NUMBER.findall(value))
        elif isinstance(value, bool) or value is None:
            return
        elif isinstance(value, int | float):
            values.append(float(value))
        else:
            for each in value.values() if isinstance(value, dict) else value:
                walk(each)

    walk(as_dict(findings))
    return written, values


def strangers(findings: Findings, own: Any) -> list[str]:
    """Numbers that are printed under a profile, and are neither of the findings nor words of the profile."""
    static = {number for text in texts_of(own) for number in NUMBER.findall(text)}
    written, values = numbers(findings)
    axes = set(NUMBER.findall(" ".join(axis(findings))))

    def known(token: str) -> bool:
        digits = len(token.partition(".")[2])
        plain = float(token.replace(",", ""))
        shown = any(abs(round(factor * abs(value), digits) - plain) < 1e-9 for value in values for factor in (1, 100))
        return token in static | written | axes or shown

    return [
        token
        for text in body(findings, own)
        for token in NUMBER.findall(text.replace("SHA-256", ""))
        if not known(token)
    ]


def axis(findings: Findings) -> list[str]:
    """What stands along the axes of the pictures of the plain report: tenths and round shares, no findings."""
    pictures = [block["svg"] for block in blocks(replace(findings, profile=None)) if "svg" in block]
    return [text for svg in pictures for text in texts(svg) if re.fullmatch(r"\d\.\d|\d+\s?%", text)]


def texts_of(own: Any) -> list[str]:
    source = own.source()
    texts = [own.title, own.figure(), source.title, source.publisher, source.date, source.address]
    for section in own.sections():
        texts += [section.number, section.title, section.asks, section.means, section.empty]
    return texts


@EVERY
@pytest.mark.parametrize("kind", list(Class))
def test_every_number_it_prints_is_one_of_the_findings(name: str, kind: Class) -> None:
    assert not strangers(audit(kind), profile(name))


@EVERY
def test_it_stands_in_the_order_of_its_source_and_leaves_out_nothing_that_was_asked(name: str) -> None:
    text = body(audit(), profile(name))
    index = -1
    for section in profile(name).sections():
        index = text.index(f"{section.number} {section.title}".strip(), index + 1)
        assert not section.empty or section.empty in text[index:]
    for answer in audit().answered():
        finding = answer.shown
        assert finding is not None
        assert text.count(finding.sentence) == 1, answer.title


@EVERY
def test_its_page_is_whole_and_its_headings_skip_no_level(name: str) -> None:
    """What a screen reader goes by; the PDF refuses a skipped level when it is set."""
    page = Page(to_html(replace(audit(), profile=profile(name))))
    assert page.open == []
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert all(" ".join(section.title.split()) in " ".join(page.text.split()) for section in profile(name).sections())


@EVERY
def test_it_changes_no_number_no_hash_and_no_verdict(name: str) -> None:
    without, laid_out = as_dict(audit()), as_dict(replace(audit(), profile=profile(name)))
    changed = {field for field in without if without[field] != laid_out[field]}
    assert changed == {"profile", "sha256"}
    assert laid_out["profile"]["name"] == name


class Inventing:
    """A profile with a number of its own in it, which no finding has."""

    name, title, card = "inventing", "Inventing", "A. B. C."

    def source(self) -> Source:
        return Source("A", "B", "2026", "C")

    def figure(self) -> str:
        return "A."

    def sections(self) -> tuple[Section, ...]:
        return (Section("1", "A", "A.", ("membership",), (Fact.VERDICT,), "M."),)


def test_a_number_that_is_no_finding_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The walk above can fail: an advantage worked out anew from an AUC, where the findings have another."""
    own = Inventing()
    assert not strangers(audit(), own)
    monkeypatch.setitem(
        FACTS,
        Fact.VERDICT,
        lambda findings: [{"kind": "p", "text": f"Identified with {0.123457:.6f}", "style": ""}],  # type: ignore[index]
    )
    assert strangers(audit(), own) == ["0.123457"]


def test_a_probability_of_identification_is_told_from_an_auc() -> None:
    figure = profile("ema0070").figure()
    assert "0.09" in figure
    assert "probability of identification" in figure
    risk = {section.number: section for section in profile("ema0070").sections()}["5"]
    assert risk.questions == ("keys",), "no attack answers it"
    assert risk.facts == ()
    assert "bounds no patient's" in risk.means
