"""The file of the page of each question that has one of its own; the others share a page."""

from __future__ import annotations

PAGES = {
    "membership": "pages/2_membership.py",
    "records": "pages/3_records.py",
    "attributes": "pages/4_attributes.py",
    "explanations": "pages/5_explanations.py",
}
