"""The site is docs and the few files beside docs that its pages name: ``mkdocs.yml`` calls these two hooks.

README is the start page. A file beside docs stands on the site by its path in the repository, and a link to it is
written anew; a link to a file that is not on the site is left as it is, so that ``mkdocs build --strict`` ends with it.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
BESIDE: tuple[str, ...] = (
    *("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "NOTICE"),
    *("sample_data/README.md", "docs/leaks/README.md"),
    *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "benchmarks/results").rglob("*.md"))),
    *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "benchmarks/results").rglob("*.diff"))),
)
"""What lies beside docs, or in the place of another page, and is on the site: by its path in the repository."""
RENAMED = {
    "README.md": "index.md",
    "sample_data/README.md": "sample.md",
    "docs/leaks/README.md": "table_of_leaks.md",  # leaks/index.html is the table itself
    "NOTICE": "NOTICE.txt",
}
LINK = re.compile(r"(?<=\]\()(?!\w+:|[#/])([^)\s#]+)(?=[)#])")
"""The file that a link names, where it names one of the repository."""


def on_files(files: Files, /, *, config: MkDocsConfig) -> Files:
    """Add the files that lie beside docs."""
    for path in BESIDE:
        text = (ROOT / path).read_text(encoding="utf-8")
        files.append(File.generated(config, RENAMED.get(path, path), content=text))
    return files


def on_page_markdown(markdown: str, /, *, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Let links between docs and what lies beside it lead to where both stand on the site."""
    place = page.file.src_uri
    beside = {RENAMED.get(path, path): path for path in BESIDE}
    folder = posixpath.dirname(beside.get(place, f"docs/{place}"))

    def led(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, link[1]))
        if target in BESIDE:
            there = RENAMED.get(target, target)
        elif target.startswith("docs/"):
            there = target.removeprefix("docs/")
        else:
            return link[1]
        return posixpath.relpath(there, posixpath.dirname(place) or ".")

    return LINK.sub(led, markdown)
