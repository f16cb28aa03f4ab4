"""Findings as PDF: tagged, PDF/UA as the compiler checks it, the same bytes for the same findings and time.

Everything that is printed reaches the typesetter as data (JSON), never as its markup, so that a column called
``#panic()`` or ``*b*`` is printed as it is.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from riskkit.errors import DesignError
from riskkit.language import say, tag
from riskkit.report import texts
from riskkit.report.document import blocks
from riskkit.report.printable import FONTS, beside, everywhere
from riskkit.show.model import Findings
from riskkit.show.run_finding import in_its_unit

TEMPLATE = Path(__file__).with_name("report.typ")


@in_its_unit
def to_pdf(findings: Findings, *, with_appendix: bool = False) -> bytes:
    """The report: page one, a page a question, and the appendix where it is wanted.

    Raises
    ------
    DesignError
        The typesetter is not installed, or could not set it.
    """
    try:
        import typst
    except ImportError as missing:
        raise DesignError(say("The PDF needs the package typst: install it with pip install typst.")) from missing
    every = blocks(findings, with_appendix=with_appendix)
    data = {
        "title": findings.title,
        "id": findings.id,
        "version": findings.version,
        "restricted": findings.is_restricted,
        "watermark": texts.WATERMARK,
        "report": texts.REPORT,
        "language": tag(),
        "class": texts.TITLES_OF_CLASSES[str(findings.kind)],
        "blocks": every,
        "cover": next((index for index, block in enumerate(every) if block.get("new_page")), len(every)),
    }
    made = datetime.fromisoformat(findings.made).astimezone(UTC)
    try:
        out = typst.compile(
            str(TEMPLATE),
            root=str(TEMPLATE.parent),
            font_paths=[str(FONTS)],
            ignore_system_fonts=True,
            sys_inputs={"data": json.dumps({**everywhere(data), "beside": beside()}, ensure_ascii=False)},
            pdf_standards=["ua-1"],
            timestamp=made,
        )
    except typst.TypstError as error:
        raise DesignError(say("The PDF could not be made; CSV and JSON hold the same numbers.")) from error
    assert isinstance(out, bytes)
    return out
