"""The list of all texts, ``riskkit/locale/riskkit.pot``: ``python -m tests.texts`` writes it, a test compares it.

The texts of pages and reports are read from the code, those of plug-ins from the plug-ins.
"""

import ast
import inspect
import sys
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po

from riskkit import questions, registry
from tests.catalogues import entries

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "riskkit/locale/riskkit.pot"
PLACES = ("app.py", "pages/*.py", "riskkit/**/*.py")
"""Where texts for people are said."""
SHOWN = 100
"""So many texts without a translation are printed, of a language that lacks no more."""
KEYWORDS = {
    "say": slice(1),
    "kept": slice(1),
    "counted": slice(1, 3),
    "forms": slice(2),
    "phrase": slice(1),
    "counted_phrase": slice(1, 3),
}
"""The functions of the language and of phrases that are given a text, and which of their arguments it is."""


def files() -> list[Path]:
    """Every file that says a text. The command line is English alone; the functions that say take any text."""
    own = {ROOT / "riskkit" / name for name in ("commands", "language.py", "phrases.py", "base/stages.py")}
    every = (path for place in PLACES for path in ROOT.glob(place))
    return sorted(path for path in every if own.isdisjoint((path, *path.parents)))


@cache
def listing() -> tuple[tuple[str, str | tuple[str, ...]], ...]:
    """Every text (of counted things both forms), with the file it comes from."""
    return tuple(_listing())


def _listing() -> Iterator[tuple[str, str | tuple[str, ...]]]:
    for path in files():
        file = path.relative_to(ROOT).as_posix()
        yield from ((file, text) for text in of_code(path.read_text(encoding="utf-8")))
    for room in registry.ROOMS:
        for plugin in registry.plugins(room).values():
            file = Path(inspect.getfile(plugin)).relative_to(ROOT).as_posix()
            for text in of_plugin(plugin):
                yield file, text
    yield from of_plans()
    yield from of_pages()


def of_code(code: str) -> Iterator[str | tuple[str, ...]]:
    """Every text that the code says, those within f-strings too, which Babel's own reader leaves out before 3.12."""
    calls = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call))
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        name = called(call)
        arguments = call.args[KEYWORDS[name]] if name else []
        text = tuple(
            str(argument.value)
            for argument in arguments
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
        )
        if text and len(text) == len(arguments):
            yield text if len(text) > 1 else text[0]


def called(call: ast.Call) -> str:
    """The function of :data:`KEYWORDS` that a call is of, which may be the ``phrase`` of an error; else nothing."""
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "phrase":
        name = "phrase"
    return name if name in KEYWORDS else ""


def of_pages() -> Iterator[tuple[str, str]]:
    """What the pages are called in the side bar: the first line of each says it."""
    for path in sorted((ROOT / "pages").glob("[0-9]*_*.py")):
        title, _, _ = path.read_text(encoding="utf-8").splitlines()[0].strip('"').partition(" · ")
        yield path.relative_to(ROOT).as_posix(), title


def of_plans() -> Iterator[tuple[str, str]]:
    """What the settings of a question and their choices are called and mean, as forms show them."""
    for name in questions.questions():
        plan = questions.question(name).plan
        file = Path(inspect.getfile(plan)).relative_to(ROOT).as_posix()
        yield from (
            (file, text)
            for setting in registry.settings(plan)
            for text in (setting.label, setting.help, *setting.words.values())
            if text
        )


def of_plugin(plugin: type[Any]) -> list[str]:
    """What a plug-in says of itself and of its settings; no titles of recipes, which differ from machine to machine."""
    texts = [str(getattr(plugin, "title", "")), str(getattr(plugin, "card", ""))]
    written = {spec.name: spec.metadata.get("words", {}) for spec in fields(plugin)}
    for setting in registry.settings(plugin):
        texts += [setting.label, setting.help, setting.unit, *written[setting.name].values()]
    return [text for text in texts if text]


def made() -> str:
    """The list as it has to be: no dates, no line numbers, the same for the same texts."""
    every = Catalog(project="riskkit", fuzzy=False)
    for file, text in listing():
        every.add(text, locations=[(file, 0)])
    out = BytesIO()
    write_po(out, every, width=0, omit_header=True, sort_by_file=True, include_lineno=False)
    return out.getvalue().decode()


def untranslated(file: Path) -> list[str]:
    """The texts of the list that a file of translations leaves in English."""
    there = {english for english, translated in entries(file) if all(translated)}
    return [english[0] for english, _ in entries(LIST) if english not in there]


if __name__ == "__main__":
    LIST.write_text(made(), encoding="utf-8")
    for file in sorted(LIST.parent.glob("*/LC_MESSAGES/riskkit.po")):
        if texts := untranslated(file):
            sys.stdout.write(f"{file.relative_to(ROOT)} leaves {len(texts):,} texts in English:\n")
            sys.stdout.writelines(f"  {text}\n" for text in texts if len(texts) <= SHOWN)
