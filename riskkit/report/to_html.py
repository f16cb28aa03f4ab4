"""Findings as one HTML file that opens from the disk: no script, nothing fetched, the same blocks as the PDF.

Every text is escaped, and signs that no reader sees are written out, so that a column called ``<script>`` is shown as
it is. The appendix is folded on the screen and open on paper.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

from riskkit.language import again, say, tag, unbroken
from riskkit.report import texts
from riskkit.report.appendix import appendix
from riskkit.report.blocks import Block
from riskkit.report.document import blocks
from riskkit.show.model import Findings
from riskkit.show.run_finding import in_its_unit

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
STYLE = Path(__file__).with_name("report.css")


@in_its_unit
def to_html(findings: Findings) -> bytes:
    """The whole report as one page."""
    every = blocks(findings)
    behind = [block for block in appendix(findings) if not block.get("new_page")]
    mark = f'<p class="small"><strong>{_text(again(texts.WATERMARK))}</strong></p>' if findings.is_restricted else ""
    parts = [
        "<!DOCTYPE html>",
        f'<html lang="{escape(tag(), quote=True)}">',
        '<head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_text(findings.title)}</title>",
        f"<style>{STYLE.read_text(encoding='utf-8')}</style></head>",
        f"<body><main>{mark}",
        *_draw(every),
        f"<details><summary>{_text(say('Appendix'))}</summary>",
        *_draw(behind),
        "</details></main></body></html>",
    ]
    return ("\n".join(parts) + "\n").encode()


def _draw(every: list[Block]) -> Iterator[str]:
    return (DRAW[str(block["kind"])](block) for block in every)


def _text(text: Any) -> str:
    """A text as HTML shows it; what has no shape of its own, or turns others around, as its number."""
    hidden = ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")
    signs = (f"[U+{ord(sign):04X}]" if unicodedata.category(sign) in hidden else sign for sign in str(text))
    return escape("".join(signs), quote=True)


def _title(block: Block) -> str:
    under = f'<p class="small">{_text(block["sub"])}</p>' if block["sub"] else ""
    return f"<h1>{_text(block['text'])}</h1>{under}"


def _heading(block: Block) -> str:
    level = min(int(block["level"]) + 1, 4)
    return f"<h{level}>{_text(unbroken(block['text']))}</h{level}>"


def _verdict(block: Block) -> str:
    why = f"<p>{_text(block['why'])}</p>" if block["why"] else ""
    return f'<div class="verdict"><strong>{_text(block["icon"])} {_text(block["word"])}</strong>{why}</div>'


def _paragraph(block: Block) -> str:
    style = f' class="{block["style"]}"' if block["style"] else ""
    return f"<p{style}>{_text(block['text'])}</p>"


def _terms(block: Block) -> str:
    return f"<dl>{''.join(f'<dt>{_text(name)}</dt><dd>{_text(text)}</dd>' for name, text in block['pairs'])}</dl>"


def _list(block: Block) -> str:
    tag = "ol" if block.get("is_ordered") else "ul"
    return f"<{tag}>{''.join(f'<li>{_text(item)}</li>' for item in block['items'])}</{tag}>"


def _code(block: Block) -> str:
    return f"<pre>{_text(block['text'])}</pre>"


def _table(block: Block) -> str:
    head = "".join(f'<th scope="col">{_text(cell)}</th>' for cell in block["head"])
    rows = "".join(f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>" for row in block["rows"])
    caption = f"<caption>{_text(block['title'])}</caption>"
    return f'<div class="wide"><table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'


def _image(block: Block) -> str:
    return f"<figure><figcaption>{_text(block['title'])}</figcaption>{block['svg']}</figure>"


def _answers(block: Block) -> str:
    head = "".join(f'<th scope="col">{_text(cell)}</th>' for cell in block["head"])
    rows = "".join(
        f'<tr><th scope="row">{_text(row["title"])}<br><span class="small">{_text(row["word"])}</span></th>'
        f"<td>{row['svg']}</td>"
        f'<td>{_text(row["value"])}<br><span class="small">{_text(row["beside"])}</span></td>'
        f'<td class="small">{_text(row["why"])}</td></tr>'
        for row in block["rows"]
    )
    return f'<div class="wide"><table class="answers"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'


def _sign(block: Block) -> str:
    choices = "".join(f"<span><i></i>{_text(choice)}</span>" for choice in block["choices"])
    fields = "".join(f"<span>{_text(name)}</span>" for name in block["fields"])
    return (
        f'<div class="sign"><div class="choices"><strong>{_text(block["title"])}</strong> &emsp; {choices}</div>'
        f'<div class="fields">{fields}</div></div>'
    )


def _seal(block: Block) -> str:
    code = f'<div role="img" aria-label="{_text(block["alt"])}">{block["svg"]}</div>'
    return f'<div class="seal">{_terms(block)}{code}</div>'


DRAW: Mapping[str, Callable[[Block], str]] = {
    "title": _title,
    "heading": _heading,
    "verdict": _verdict,
    "p": _paragraph,
    "terms": _terms,
    "list": _list,
    "code": _code,
    "table": _table,
    "image": _image,
    "answers": _answers,
    "sign": _sign,
    "seal": _seal,
}
"""How each kind of block is written."""
