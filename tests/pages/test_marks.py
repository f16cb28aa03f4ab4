"""Every text of pages and report goes through the catalogue: in the language of marks nothing stands without them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from riskkit import language
from tests.pages.marked import Known, answered, results

ROOT = Path(__file__).resolve().parents[2]


def spoken(home: Path, tongue: str, *words: str) -> str:
    """What a program of these words prints in a process of its own that speaks that language."""
    environment = {**os.environ, "RISKKIT_HOME": str(home), "RISKKIT_LANGUAGE": tongue}
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, env=environment, capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the program found in the language of marks."""
    home = tmp_path_factory.mktemp("marked") / "home"
    texts: dict[str, Any] = json.loads(spoken(home, language.MARKS, "-m", "tests.pages.marked"))
    return texts


def test_every_text_of_every_page_and_of_the_report_is_in_the_catalogue(document: dict[str, Any]) -> None:
    assert document["texts"] > 5000
    assert document["strange"] == {}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Load your files", "Load your files"),
        ("⟦Load your files⟧", ""),
        ("⟦saved ⟧3 days ago", "days ago"),
        (":red-badge[:material/error: **⟦Failed⟧**]", ""),
        ("⟦Secret ⟧job, 12.5 [0.3, 14]", ""),
        ("job title", "title"),
        ("The method cannot say.", ""),
    ],
)
def test_a_text_without_marks_is_strange(text: str, left: str) -> None:
    assert Known(("The method cannot say", "job")).strange(text).replace("3 ", "").strip("§ ") == left


THREE = """
msgid ""
msgstr "Content-Type: text/plain; charset=utf-8\\nPlural-Forms: nplurals=1; plural=0;\\n"

msgid "Nothing is loaded yet"
msgstr "まだ何も読み込まれていません"

msgid "Leak shown"
msgstr "漏えいを確認"

msgid "{n:,} training"
msgid_plural "{n:,} trainings"
msgstr[0] "学習{n:,}回"
"""

PROGRAM = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
spec = spec_from_file_location("riskkit.language", "riskkit/language.py")
language = module_from_spec(spec)
spec.loader.exec_module(language)
language.FOLDER = Path(sys.argv[1])
sys.modules["riskkit.language"] = language  # before anything of ours says its first text
from riskkit import wording
from riskkit.judging.measurement import Verdict, title
from tests.pages.screens import app
print(wording.plural(1200, "training"), title(Verdict.LEAK), title(Verdict.UNDECIDED))
print(*(one.value for one in app().run().header))
"""


def test_a_language_of_three_texts_speaks_them_on_a_page_and_in_a_verdict(tmp_path: Path) -> None:
    folder = tmp_path / "locale" / "ja" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "riskkit.po").write_text(THREE, encoding="utf-8")
    verdict, page = spoken(tmp_path / "home", "ja", "-c", PROGRAM, str(tmp_path / "locale")).splitlines()
    assert verdict == "学習1,200回 ▲ 漏えいを確認 ◌ Undecided"
    assert "まだ何も読み込まれていません" in page


KEPT = ("released", "attributes", "contest", "explanations")
"""Questions whose results hold notes and names that somebody reads."""


def test_what_is_kept_with_a_result_is_the_same_in_every_language(document: dict[str, Any]) -> None:
    """Played in English here, and by the program in the language of marks."""
    assert language.choice() == language.ENGLISH
    english = results(answered(*KEPT))
    assert len(english) == len(KEPT)
    assert {place: document["kept"][place] for place in english} == english
    assert not any(mark in text for text in document["kept"].values() for mark in "⟦⟧")
