"""The notebooks of ``docs/gallery``: run as Jupyter would, cell by cell, and written with what they show.

``python -m tests.gallery [NAME]`` runs them anew and keeps their outputs: text, HTML, and figures as plotly's JSON.
"""

import ast
import contextlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from riskkit import own, registry

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "gallery"
PLOTLY = "application/vnd.plotly.v1+json"


def notebooks() -> list[Path]:
    """Every notebook of the gallery."""
    return sorted(FOLDER.glob("*.ipynb"))


def read(path: Path) -> dict[str, Any]:
    """A notebook as it is kept."""
    book: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return book


def executed(path: Path) -> dict[str, Any]:
    """The notebook with the outputs that its cells give now; a cell that raises ends it."""
    book, names = read(path), {"__name__": f"gallery_{path.stem}"}
    with _a_place():
        for number, cell in enumerate((cell for cell in book["cells"] if cell["cell_type"] == "code"), 1):
            cell["execution_count"] = number
            cell["outputs"] = _outputs("".join(cell["source"]), names, f"{path.name}, cell {number}", number)
    return book


@contextlib.contextmanager
def _a_place() -> Iterator[None]:
    """The folder of the gallery, a home of its own, and plug-ins that are gone afterwards."""
    before, home = Path.cwd(), os.environ.get("RISKKIT_HOME")
    registered = {room: dict(known) for room, known in own._REGISTERED.items()}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RISKKIT_HOME"] = folder
        os.environ["GALLERY_OUT"] = str(Path(folder) / "report")
        os.chdir(FOLDER)
        try:
            yield
        finally:
            os.chdir(before)
            del os.environ["GALLERY_OUT"]
            os.environ.pop("RISKKIT_HOME") if home is None else os.environ.update(RISKKIT_HOME=home)
            own._REGISTERED.clear()
            own._REGISTERED.update(registered)
            registry.plugins.cache_clear()


def _outputs(source: str, names: dict[str, Any], where: str, number: int) -> list[dict[str, Any]]:
    """What a cell prints, then what its last line is."""
    tree = ast.parse(source)
    shown = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        shown = ast.Expression(tree.body.pop().value)  # type: ignore[attr-defined]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, where, "exec", dont_inherit=True), names)  # noqa: S102  our own notebooks
        value = None if shown is None else eval(compile(shown, where, "eval", dont_inherit=True), names)  # noqa: S307
    out: list[dict[str, Any]] = []
    if printed.getvalue():
        out.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue()})
    if value is not None:
        out.append({"data": _shown(value), "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return out


def _shown(value: Any) -> dict[str, Any]:
    """What a notebook keeps of a value, by kind."""
    if hasattr(value, "to_plotly_json"):
        return {PLOTLY: json.loads(value.to_json()), "text/plain": f"A figure. {value.layout.title.text or ''}".strip()}
    data = {"text/plain": repr(value)}
    if hasattr(value, "_repr_html_"):
        data["text/html"] = value._repr_html_()
    return data


def write(path: Path, book: dict[str, Any]) -> None:
    """Keep a notebook."""
    path.write_text(json.dumps(book, ensure_ascii=False, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for notebook in notebooks():
        if not sys.argv[1:] or notebook.stem in sys.argv[1:]:
            write(notebook, executed(notebook))
