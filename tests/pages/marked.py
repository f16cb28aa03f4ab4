"""Every text that pages and report show, in another language: a program for ``test_marks`` and ``test_japanese``.

``python -m tests.pages.marked`` plays small audits in ``RISKKIT_HOME``, opens every page with them, builds the report,
and prints as JSON where a text stands that no catalogue was asked for, and what is kept of each run. In the language of
marks such a text is any word outside the marks, in a language with letters of its own three words of Latin letters
together. Values come as they are, so each must be one of what :class:`Known` knows.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Dataframe, Node

from riskkit import language, registry
from riskkit.audit.report_facts import build_findings, read_given
from riskkit.audit.studies import names, study
from riskkit.dashboard.forms import pilots
from riskkit.dashboard.pages.explanations import CHANGED
from riskkit.jobs.store import Audit
from riskkit.phrases import Phrase
from riskkit.plans import Plan
from riskkit.questions import questions
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.contest.plan import ContestPlan
from riskkit.questions.explanations.plan import SYNTHETIC, ExplanationPlan
from riskkit.questions.explanations.words import change_title
from riskkit.questions.membership.partial import NO_PART
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.runs import plan_of
from riskkit.report.document import blocks
from riskkit.show.model import Class
from tests.pages import screens
from tests.pages.runs import faked, finished
from tests.pages.screens import PAGES, csv, loaded, opened, unmarked
from tests.texts import of_plugin
from tests.untimed import SAID

UNSEEN = {
    "id", "key", "form_id", "element_hash", "element_id", "user_key", "icon", "url", "url_path", "page_script_hash",
    "page", "language", "color", "format", "type", "tag", "name_hash", "position", "anchor", "content_type", "file_id",
    "data_type", "script", "hash", "step_format", "default", "kind", "config", "theme", "upload_url_path", "formatId",
    "media_file_id", "width", "height", "query_string", "value", "raw_values", "element_type", "columns",
    "selection_state", "code_text",
}  # fmt: skip
"""Fields of what Streamlit sends that nobody reads, and those of widgets that hold what the user entered."""
CHART = {"title", "text", "name", "hovertemplate", "ticktext", "customdata", "hovertext", "label"}
"""Keys of a chart under which texts stand that are read."""
MARKS = re.compile(r"⟦[^⟦⟧]*(?:⟧|…|$)")
"""A text of the catalogue; the label of a row is cut where a phone ends, and its last mark with it."""
MARKUP = re.compile(
    r":material/\w+:|:(red|orange|green|blue|violet|gray|small|primary)(-badge)?\[|R-[0-9A-F]{8}|</?(b|br|span|extra|i|div|a)\b[^>]*>"
    r"|<style>.*?</style>|<script type=\"module\" src=\"\./static/js/[\w.-]+\"></script>|%\{[^}]*\}"
    r"|`[^`]*`|\b[0-9a-f]{6,64}\b|&nbsp;"
)
WORD = re.compile(r"[^\W\d_]{2,}")
FOREIGN = re.compile(r"[\u3000-\u9fff\uff00-\uffef]+")
"""What a language with letters of its own writes."""
WORDS = re.compile(r"(?<![\w-])[A-Za-z]{2,},? [a-z]{2,},? [a-z]{2,}(?![\w-])")
"""So many words together are English; fewer, or with capital letters, may be the name of something."""


@dataclass(frozen=True, slots=True)
class Known:
    """What may be shown without marks: each a text that came as a value."""

    texts: tuple[str, ...]
    is_marked: bool = True

    @classmethod
    def of(cls, audits: Iterable[Audit]) -> Known:
        """The data, what plug-ins call themselves, and what is kept with runs."""
        texts: set[str] = {*ALWAYS, os.environ["RISKKIT_HOME"]}
        is_marked = language.choice() == language.MARKS
        for room in registry.ROOMS:
            for name, plugin in registry.plugins(room).items():
                texts |= {name, *(setting.name for setting in registry.settings(plugin))}
                texts |= set(of_plugin(plugin)) if is_marked else set()
                texts |= {str(choice) for setting in registry.settings(plugin) for choice in setting.choices or ()}
        texts |= {change_title(text) for text in (*CHANGED, SYNTHETIC)}
        texts |= set(of_plans())
        for question in ("membership", "records"):
            for part in map(study, names(question=question)):
                texts |= {
                    part.name,
                    part.title,
                    part.source,
                    part.claim,
                    part.table,
                    part.cost,
                    *(part_of_study.name for part_of_study in part.parts),
                }
        for audit in audits:
            texts |= {audit.name, *kept(audit.files)}
            if "real" in audit.files:
                for problem in audit.tables().problems:
                    texts |= {problem.file, problem.column, problem.code.replace("_", " ")}
                for column in audit.tables().schema.columns:
                    texts |= {column.name, str(column.kind), str(column.role), *column.levels}
            for run in audit.runs():
                texts |= {*kept(run.progress), *kept(run.request)}
                if run.state == "finished":
                    texts |= {text for text in kept(run.result) if not is_said(text)}
                texts |= {plan_of(run).label, *(field.name for field in fields(plan_of(run)))}
                texts |= {change_title(text) for text in getattr(plan_of(run), "defences", ())}
                texts |= set(run.log())
        texts |= {re.sub(r"\*([^*]+)\*", r"“\1”", text) for text in texts}
        texts |= {part for text in texts for part in re.split(r"(?<=[.;:]) ", text)}
        known = {plainly(text).strip(".;: ") for text in texts if WORD.search(text)}
        return cls(tuple(sorted(known, key=len, reverse=True)), is_marked)

    def strange(self, text: str) -> str:
        """What is left of a text without marks, markup and what is known; empty where nothing is."""
        foreign, word = (MARKS, WORD) if self.is_marked else (FOREIGN, WORDS)
        rest = MARKUP.sub(" ", foreign.sub(" § ", plainly(text)))
        if not word.search(rest):
            return ""
        for known in self.texts:
            if known.lower() in rest.lower():
                case = re.IGNORECASE if " " in known else re.NOFLAG
                rest = re.sub(rf"(?<![^\W_]){re.escape(known)}(?![^\W_])", " ", rest, flags=case)
        return " ".join(rest.split()) if word.search(rest) else ""


def is_said(text: str) -> bool:
    """Whether a text of a result is one that the reader's language says: a phrase, or a sentence."""
    return isinstance(text, Phrase) or (text.endswith(".") and " " in text)


def of_plans() -> Iterator[str]:
    """What may be chosen in a plan and what it begins with, as the command line writes it."""
    for asked in questions().values():
        for setting in registry.settings(asked.plan):
            yield from (text for text in (*(setting.choices or ()), setting.default) if isinstance(text, str))


ALWAYS = (
    "riskkit", "Python", "numpy", "scipy", "scikit-learn", "pandas", "pyarrow", "UTC", "kB", "MB", "GB", "SHA-256",
    "JSON", "PDF", "ZIP", "English", "日本語", NO_PART,
    "verdicts.csv", "estimates.csv", "records.csv", "groups.csv", "attributes.csv", "frontier.csv", "tables.csv",
    "preparation.csv", "files.csv",
)  # fmt: skip
"""Names that are the same in every language."""


def plainly(text: str) -> str:
    """Text as it is read, on one line."""
    return " ".join(unmarked(str(text)).split())


def kept(value: Any) -> Iterator[str]:
    """Every text in plain values; names of fields are no texts."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from kept(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from kept(part)


def seen(node: Node) -> Iterator[tuple[str, str]]:
    """Every text of a part of a page that is read, with what it is part of."""
    if isinstance(node, Block):
        if node.proto is not None:
            yield from sent(node.proto, type(node).__name__)
        for child in node.children.values():
            yield from seen(child)
    elif isinstance(node, Dataframe):
        yield from sent(node.proto, "dataframe")
        heads = json.loads(node.proto.columns or "{}")
        frame = node.value
        for name in frame.columns:
            own = heads.get(str(name)) or {}
            yield "dataframe head", str(own.get("label", name))
            yield "dataframe help", str(own.get("help") or "")
            yield from (("dataframe cell", str(cell)) for cell in frame[name] if isinstance(cell, str))
    elif getattr(node, "type", "") == "plotly_chart":
        yield from ((f"chart {key}", text) for key, text in drawn(json.loads(node.proto.spec)))
    elif hasattr(node, "proto"):
        yield from sent(node.proto, str(getattr(node, "type", "")))
        if hasattr(node, "value") and getattr(node, "type", "") in ("markdown", "caption"):
            yield node.type, str(node.value)


def sent(proto: Message, what: str) -> Iterator[tuple[str, str]]:
    """The texts of a message and of the messages in it."""
    for field, value in proto.ListFields():
        if field.name in UNSEEN:
            continue
        many = list(value) if field.is_repeated else [value]
        for part in many:
            if isinstance(part, Message):
                yield from sent(part, f"{what}.{field.name}")
            elif field.type == FieldDescriptor.TYPE_STRING:
                yield f"{what}.{field.name}", str(part)


def drawn(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """The texts of a chart."""
    if isinstance(value, str) and key in CHART:
        yield key, value
    elif isinstance(value, dict):
        for name, part in value.items():
            if name != "template" and not (name == "name" and value.get("showlegend") is False):
                yield from drawn(part, name)
    elif isinstance(value, list):
        for part in value:
            yield from drawn(part, key)


def everything(screen: AppTest) -> Iterator[tuple[str, str]]:
    """All of a page."""
    assert not screen.exception, [raised.value for raised in screen.exception]
    for root in (screen.main, screen.sidebar):
        yield from seen(root)


PLANS: tuple[Plan, ...] = (
    ReleasedPlan(attacks=("dcr", "classifier")),
    AttributePlan(
        secrets=("job", "score"), model="tree", groups=("ward",), sweep=True, generator="identity", randomised=5
    ),
    RecordsPlan(
        generator="histogram", records="top:6+random:4", inside=20, outside=20, again=2, shadows=20, certificate=True
    ),
    MembershipPlan(trainings=12, generations=2, n_syn=120),
    MembershipPlan(trainings=12, generations=2, n_syn=120, seed=5),
    ContestPlan(
        ("identity", "stat"),
        ("distance", "two-sided"),
        source="people",
        guesses=30,
        rules="none",
        classifiers=("tree",),
        secret="ward",  # noqa: S106  a column
    ),
    ExplanationPlan(
        target="job",
        attackers=("linear", "nearest"),
        victims=30,
        auxiliary=(20, 80),
        model_seeds=1,
        model="tree",
        defences=("quantising:bins=2",),
    ),
)
"""A small run of every question that has a page of its own; of membership two, to be compared."""


def answered(*asked: str) -> Audit:
    """A small audit in which these questions were answered; all of them where none is named."""
    audit = loaded(real=csv(240, 0), synthetic=csv(240, 0), holdout=csv(240, 1))
    for number, plan in enumerate(PLANS, start=1):
        if not asked or plan.question in asked:
            finished(audit, plan, run=str(number) * 32)
    return audit


def results(audit: Audit) -> dict[str, str]:
    """What is kept of each run, as JSON by its place among the plans, without the time it took."""
    runs = {run.id[:1]: run.result for run in audit.runs() if run.state == "finished"}
    return {
        place: json.dumps({name: value for name, value in result.items() if name != "seconds"}, ensure_ascii=False)
        for place, result in sorted(runs.items())
    }


def audits() -> list[Audit]:
    """Small audits: one with every question answered, one with nothing run, one whose runs did not end."""
    full = answered()
    bare = loaded(real=csv(80, 1), synthetic=csv(80, 2))
    broken = loaded(real=csv(80, 1), synthetic=csv(80, 2))
    faked(broken, "cancelled", MembershipPlan(trainings=12), run="8" * 32, done=3, total=12)
    faked(broken, "failed", ReleasedPlan(attacks=("dcr",)), run="9" * 32, done=1, total=2, error="A reason.")
    return [full, bare, broken]


def undrawn(value: Any) -> Any:
    """A block without its drawings, and without what says how it is set."""
    if isinstance(value, dict):
        return {name: undrawn(part) for name, part in value.items() if name not in ("kind", "style", "svg")}
    return [undrawn(part) for part in value] if isinstance(value, list) else value


def main() -> None:
    """Print what is strange: where it stands, and the text."""
    screens.LIMIT = 300
    manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)  # as the tests do
    pilots.beside = lambda *_, lost: replace(lost, forecast=SAID)  # type: ignore[assignment, type-var]  # nothing is timed
    every = audits()
    known = Known.of(every)
    strange: dict[str, str] = {}
    count = 0
    for audit in (None, *every):
        for page in PAGES:
            screen = opened(audit, f"pages/{page.name}")
            for what, text in everything(screen):
                count += 1
                if rest := known.strange(text):
                    strange.setdefault(rest, f"{page.name} {what}: {text}")
    for kind in Class:
        findings = build_findings(read_given(every[0]), {}, kind=kind, made=datetime(2026, 1, 2, tzinfo=UTC))
        for block in blocks(findings):
            for text in kept({} if block["kind"] == "code" else undrawn(block)):
                count += 1
                if text not in block and (rest := known.strange(text)):
                    strange.setdefault(rest, f"report {block['kind']}: {text}")
    texts = {"texts": count, "strange": strange, "kept": results(every[0])}
    json.dump(texts, sys.stdout, ensure_ascii=False, indent=1)


if __name__ == "__main__":
    main()
