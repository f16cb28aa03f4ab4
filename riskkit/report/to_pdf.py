"""Findings as PDF: tagged, PDF/UA as the compiler checks it, the same bytes for the same findings and time.

Everything that is printed reaches the typesetter as data (JSON), never as its markup, so that a column called
``#panic()`` or ``*b*`` is printed as it is.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from riskkit.errors import DesignError
from riskkit.language import again, say, tag
from riskkit.report import texts
from riskkit.report.blocks import FONTS, Block, beside, everywhere
from riskkit.report.document import blocks, cover
from riskkit.show.model import Findings
from riskkit.show.run_finding import in_its_unit

TEMPLATE = Path(__file__).with_name("report.typ")


DOTS = 110
"""Dots per inch of a page as a picture."""


@in_its_unit
def to_pdf(findings: Findings, *, with_appendix: bool = False) -> bytes:
    """The report: page one, every test on a line, a page a question, and the appendix where it is wanted.

    Raises
    ------
    DesignError
        The typesetter is not installed, or could not set it.
    """
    made = datetime.fromisoformat(findings.made).astimezone(UTC)
    return _compile(findings, blocks(findings, with_appendix=with_appendix), pdf_standards=["ua-1"], timestamp=made)


@in_its_unit
def page_one(findings: Findings) -> bytes:
    """Page one as it is printed, as PNG.

    Raises
    ------
    DesignError
        As :func:`to_pdf`.
    """
    return _compile(findings, [*cover(findings)], format="png", ppi=DOTS)


def _compile(findings: Findings, every: list[Block], **how: Any) -> bytes:
    """These blocks, set by the typesetter."""
    try:
        import typst
    except ImportError as missing:
        raise DesignError(say("The PDF needs the package typst: install it with pip install typst.")) from missing
    data = {
        "title": findings.title,
        "id": findings.id,
        "version": findings.version,
        "restricted": findings.is_restricted,
        "watermark": again(texts.WATERMARK),
        "report": again(texts.REPORT),
        "language": tag(),
        "class": texts.TITLES_OF_CLASSES[str(findings.kind)],
        "blocks": every,
        "cover": next((index for index, block in enumerate(every) if block.get("new_page")), len(every)),
    }
    try:
        out = typst.compile(
            str(TEMPLATE),
            root=str(TEMPLATE.parent),
            font_paths=[str(FONTS)],
            ignore_system_fonts=True,
            sys_inputs={"data": json.dumps({**everywhere(data), "beside": beside()}, ensure_ascii=False)},
            **how,
        )
    except typst.TypstError as error:
        raise DesignError(say("The PDF could not be made; CSV and JSON hold the same numbers.")) from error
    assert isinstance(out, bytes)
    return out
