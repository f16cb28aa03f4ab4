"""What a finding shows, beside the paper and the files that are made of it."""

import csv
import io
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from html import unescape

from riskkit.audit import report_facts
from riskkit.core import Estimate
from riskkit.jobs.store import Audit
from riskkit.report.to_csv import to_csv
from riskkit.report.to_html import to_html
from riskkit.show import in_words
from riskkit.show.blocks import Numbers, Picture, Sentence, printed_blocks
from riskkit.show.model import Class, Findings, RunFinding


def same(estimate: Estimate) -> tuple[object, ...]:
    """What two estimates have in common that are the same number."""
    return estimate.name, estimate.value, estimate.low, estimate.high, estimate.level, estimate.n


def reported(audit: Audit, kind: Class) -> Findings:
    """All findings of an audit."""
    made = datetime(2026, 11, 25, tzinfo=UTC)
    return report_facts.build_findings(report_facts.read_given(audit), {}, kind=kind, made=made)


def read_rows(source: bytes) -> list[dict[str, str]]:
    """The rows of a table of a report, behind its first line."""
    return list(csv.DictReader(io.StringIO(source.decode("utf-8-sig").partition("\r\n")[2])))


def check_paper_and_files(findings: Iterable[RunFinding], report: Findings) -> None:
    """Every cell of every table, every picture in words and every sentence of these findings is in both."""
    paper = re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", to_html(report).decode())))
    rows = read_rows(to_csv(report)["tables.csv"])
    lines = {(row["what_if"], row["table"], row["of"], row["column"]): row for row in rows}
    assert len(lines) == len(rows), "every cell has a line of its own"
    cells = 0
    for what_if, block in [(each.what_if, block) for each in findings for block in printed_blocks(each.view)]:
        if isinstance(block, Picture):
            assert " ".join(in_words.picture_in_words(block).split()) in paper
        if isinstance(block, Sentence):
            assert " ".join(block.text.split()) in paper
        if not isinstance(block, Numbers):
            continue
        for row, texts in zip(block.rows, block.texts(), strict=True):
            for column, cell, text in zip(block.columns[1:], row[1:], texts[1:], strict=True):
                line = lines[what_if, block.key, str(row[0]), column.key]
                assert str(text) in paper
                cells += 1
                if isinstance(cell, Estimate):
                    assert tuple(float(line[end]) for end in ("value", "low", "high")) == same(cell)[1:4]
                else:
                    assert line["text"].removeprefix("'") == str(cell)
    assert cells == len(rows)
