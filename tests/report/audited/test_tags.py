"""The tags of the PDF, read by our own eyes: what a machine can check of the Matterhorn Protocol, point by point.

The compiler says that it keeps to PDF/UA-1; nothing here believes it. ``test_validators.py`` asks others where they are
installed.
"""

import io
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pypdf
import pytest
from pypdf.generic import ArrayObject, BooleanObject, ContentStream, DictionaryObject, NameObject, TextStringObject

from riskkit.judging.measurement import Limit
from riskkit.report.to_pdf import to_pdf
from tests.report.audited import made

STANDARD = {
    "Document",
    "Part",
    "Div",
    "Span",
    "P",
    "H1",
    "H2",
    "H3",
    "H4",
    "L",
    "LI",
    "Lbl",
    "LBody",
    "Table",
    "THead",
    "TBody",
    "TR",
    "TH",
    "TD",
    "Figure",
    "Caption",
    "NonStruct",
}
INSIDE = {
    "TR": {"Table", "THead", "TBody"},
    "TH": {"TR"},
    "TD": {"TR"},
    "THead": {"Table"},
    "TBody": {"Table"},
    "LI": {"L"},
    "Lbl": {"LI"},
    "LBody": {"LI"},
}
TEXT = (b"Tj", b"TJ", b"'", b'"')


@cache
def source() -> bytes:
    """A report with every kind of block: verdicts, drawings, tables, lists, the appendix with a map and a frontier."""
    rng = np.random.default_rng(3)
    every = made.membership(rng, shifts=(1.0, 0.2)), made.released(rng), made.attributes(), made.contest()
    findings = made.findings(made.audit(*every, provenance=made.STAT), {"membership": Limit(0.6, "Data board")})
    return to_pdf(findings, with_appendix=True)


def kids(node: DictionaryObject) -> Iterator[DictionaryObject]:
    """The structure elements below one, in their order."""
    below = node.get("/K", ArrayObject())
    for each in below if isinstance(below, ArrayObject) else [below]:
        kid = each.get_object()
        if isinstance(kid, DictionaryObject) and "/S" in kid:
            yield kid


def elements(node: DictionaryObject, above: str = "") -> Iterator[tuple[str, str, DictionaryObject]]:
    """Every structure element with its type and that of the one above it."""
    for kid in kids(node):
        name = str(kid["/S"])[1:]
        yield name, above, kid
        yield from elements(kid, name)


def attributes(element: DictionaryObject) -> dict[str, Any]:
    """What an element says of itself beside its type."""
    own = element.get("/A", ArrayObject())
    out: dict[str, Any] = {}
    for each in own if isinstance(own, ArrayObject) else [own]:
        out |= {str(name): value for name, value in each.get_object().items() if name != "/O"}
    return out


def untagged(page: pypdf.PageObject, reader: pypdf.PdfReader) -> Iterator[str]:
    """What is drawn or written on a page outside tagged content and artifacts, and either of them in the other."""
    inside: list[str] = []
    content = page.get_contents()
    assert content is not None
    for operands, operator in ContentStream(content, reader).operations:
        if operator in (b"BDC", b"BMC"):
            mark = "artifact" if operands[0] == "/Artifact" else "tagged" if "/MCID" in operands[-1] else "span"
            if {mark, *inside} >= {"artifact", "tagged"}:
                yield "01-003, 01-004: tagged content and artifacts in each other"
            inside.append(mark)
        elif operator == b"EMC":
            inside.pop()
        elif operator in (*TEXT, b"Do", b"f", b"S", b"B", b"sh") and not {"artifact", "tagged"} & set(inside):
            yield f"01-005: {operator.decode()} is neither tagged nor an artifact"


def faults(reader: pypdf.PdfReader) -> set[str]:
    """The points of the Matterhorn Protocol 1.1 that this document fails, with what is wrong."""
    out: set[str] = set()
    root: Any = reader.trailer["/Root"]

    def must(holds: object, point: str) -> None:
        if not holds:
            out.add(point)

    marks, shown = root.get("/MarkInfo", {}), root.get("/ViewerPreferences", {})
    must(marks.get("/Marked") == BooleanObject(True), "01: the document is not marked as tagged")
    must(marks.get("/Suspects") != BooleanObject(True), "01-007: suspects")
    must(shown.get("/DisplayDocTitle") == BooleanObject(True), "07-001, 07-002: the title is not shown")
    must(re.fullmatch(r"[a-z]{2,3}(-\w+)*", str(root.get("/Lang", ""))), "11-006: no language")
    must(not reader.is_encrypted, "26: locked")
    metadata = root["/Metadata"].get_data().decode() if "/Metadata" in root else ""
    must(re.search(r"pdfuaid:part>\s*1\s*<", metadata), "06-002: no PDF/UA-1")
    must(re.search(r"<dc:title>.*?<rdf:li[^>]*>[^<]+</rdf:li>", metadata, re.DOTALL), "06-003, 06-004: no title")
    tree = root.get("/StructTreeRoot", DictionaryObject())
    every = list(elements(tree))
    must(every, "01-005: no structure")
    roles = {str(name)[1:]: str(value)[1:] for name, value in tree.get("/RoleMap", {}).items()}
    must(not STANDARD & set(roles), "02-004: a standard type is mapped anew")
    level = 0
    for name, above, element in every:
        must(roles.get(name, name) in STANDARD, f"02-001: {name} is mapped to no standard type")
        must(name not in INSIDE or above in INSIDE[name], f"09-004, 09-005: {name} in {above}")
        if name == "Figure":
            must(str(element.get("/Alt", "")).strip(), "13-004: a picture without a text")
        if name == "TH":
            must("/Scope" in attributes(element), "15-003: a header that says not what it heads")
        if heading := re.fullmatch(r"H([1-6])", name):
            must(int(heading[1]) <= level + 1, "14-002, 14-003: a level of headings is skipped")
            level = int(heading[1])
        if name == "Table":
            rows = [list(kids(row)) for kind, _, row in elements(element) if kind == "TR"]
            spans = {sum(int(attributes(cell).get("/ColSpan", 1)) for cell in row) for row in rows}
            must(len(spans) == 1, "15-003: rows of different length")
    for page in reader.pages:
        must(not page.get("/Annots"), "28: an annotation")
        resources: Any = page["/Resources"]
        for each in resources.get("/Font", {}).values():
            font = each.get_object()
            must("/ToUnicode" in font, "10-001: letters that map to no text")
            for below in font.get("/DescendantFonts", [font]):
                described = below.get_object().get("/FontDescriptor", {})
                must(set(described) & {"/FontFile", "/FontFile2", "/FontFile3"}, "31: a font that is not embedded")
    return out


def test_the_report_keeps_every_point_that_a_machine_can_check() -> None:
    reader = pypdf.PdfReader(io.BytesIO(source()))
    assert faults(reader) == set()
    assert [fault for page in reader.pages[::3] for fault in untagged(page, reader)] == []
    kinds = {name for name, _, _ in elements(reader.trailer["/Root"]["/StructTreeRoot"])}  # type: ignore[index]
    assert kinds >= {"H1", "H2", "H3", "Table", "THead", "TH", "TD", "Figure", "L", "LI"}, "what is checked is there"


def first(root: Any, name: str) -> DictionaryObject:
    return next(element for kind, _, element in elements(root["/StructTreeRoot"]) if kind == name)


def swap(element: DictionaryObject, name: str) -> None:
    element[NameObject("/S")] = NameObject(name)


PLANTED: dict[str, Callable[[Any], object]] = {
    "11-006": lambda root: root.pop("/Lang"),
    "01: the document": lambda root: root["/MarkInfo"].update({NameObject("/Marked"): BooleanObject(False)}),
    "07-001": lambda root: root.pop("/ViewerPreferences"),
    "06-002": lambda root: root.pop("/Metadata"),
    "13-004": lambda root: first(root, "Figure").update({NameObject("/Alt"): TextStringObject(" ")}),
    "14-002": lambda root: swap(first(root, "H1"), "/H3"),
    "15-003: a header": lambda root: first(root, "TH").pop("/A"),
    "15-003: rows": lambda root: first(root, "TR")["/K"].pop(),  # type: ignore[attr-defined]
    "09-004": lambda root: swap(first(root, "TR"), "/Div"),
    "02-001": lambda root: swap(first(root, "P"), "/Paragraph"),
    "01-005: no structure": lambda root: root.pop("/StructTreeRoot"),
    "31": lambda root: (
        next(iter(root["/Pages"]["/Kids"][0]["/Resources"]["/Font"].values()))
        .get_object()["/DescendantFonts"][0]
        .get_object()
        .pop("/FontDescriptor")
    ),
}


@pytest.mark.parametrize("point", PLANTED)
def test_a_fault_that_is_planted_is_found(point: str) -> None:
    reader = pypdf.PdfReader(io.BytesIO(source()))
    PLANTED[point](reader.trailer["/Root"])
    assert any(fault.startswith(point) for fault in faults(reader))


def test_text_outside_of_the_tags_is_found() -> None:
    reader = pypdf.PdfReader(io.BytesIO(source()))
    page = reader.pages[0]
    stream = ContentStream(page.get_contents(), reader)
    stream.operations.append(([TextStringObject("x")], b"Tj"))
    page[NameObject("/Contents")] = stream
    assert {fault[:6] for fault in untagged(page, reader)} == {"01-005"}
