"""Texts and languages: how a text is said, that the list of all texts is what the code says, and how it may be said."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from os import environ
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from riskkit import language, questions, wording
from riskkit.base.catalogue import Catalogue
from riskkit.cli import main
from riskkit.language import counted, counting, english, keep_speaking, say, speaking
from tests import texts
from tests.speaking import speak

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def marks(monkeypatch: pytest.MonkeyPatch) -> None:
    speak(monkeypatch, language.MARKS)


def test_no_test_speaks_another_language_but_by_the_one_way_that_leaves_nothing_behind() -> None:
    own = Path("speaking.py")
    asked = re.compile(r"""setenv\(\s*["']RISKKIT_LANGUAGE""")
    assert asked.search((ROOT / "tests" / own).read_text(encoding="utf-8"))
    files = [file for file in (ROOT / "tests").rglob("*.py") if file.name != own.name]
    assert not [file.name for file in files if asked.search(file.read_text(encoding="utf-8"))]


LOADED = """
import importlib, pkgutil
import riskkit
from riskkit import language

def refuse(*_):
    raise AssertionError("A text is looked up where nobody reads it yet.")

language._load = refuse
for part in pkgutil.walk_packages(riskkit.__path__, "riskkit."):
    if not part.name.endswith("__main__"):
        importlib.import_module(part.name)
"""


@pytest.mark.second
def test_no_module_looks_up_a_text_when_it_is_loaded() -> None:
    """Else one reader's language would stay in it for all others. In a process of its own: here all may be loaded."""
    process = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, cwd=ROOT, check=False)
    assert process.returncode == 0, process.stderr[-2_000:]


def test_english_is_the_text_of_the_code_with_its_values() -> None:
    assert say("No leak above {limit:.2f} is possible here: {reach}.", limit=0.6, reach="0.55") == (
        "No leak above 0.60 is possible here: 0.55."
    )
    assert say("{braces} stay") == "{braces} stay"
    assert [counted(n, "{n:,} training", "{n:,} trainings") for n in (0, 1, 1200)] == [
        "0 trainings",
        "1 training",
        "1,200 trainings",
    ]


def test_a_value_is_never_read_as_a_format() -> None:
    assert say("Column {name}", name="{0.__class__} {missing}") == "Column {0.__class__} {missing}"
    assert say("Column {name}", name="100 %s") == "Column 100 %s"


@pytest.mark.usefixtures("marks")
def test_marks_stand_around_the_text_and_not_around_values() -> None:
    assert say("Secret {name}: {value:.2f}", name="age", value=1) == "⟦Secret ⟧age⟦: ⟧1.00".replace("⟦: ⟧", ": ")
    assert say("%{{y}} of {rows}", rows=3) == "⟦%{y} of ⟧3"
    assert counted(2, "{n} run", "{n} runs") == "2⟦ runs⟧"
    assert say("at %{y:.0%}") == "⟦at %{y:.0%}⟧"


@pytest.mark.usefixtures("marks")
def test_what_is_kept_is_said_in_english() -> None:
    with english():
        assert say("Leak shown") == "Leak shown"
    assert say("Leak shown") == "⟦Leak shown⟧"


def test_a_translation_that_names_no_such_value_gives_way_to_the_english(monkeypatch: pytest.MonkeyPatch) -> None:
    class Faulty(NullTranslations):
        def gettext(self, message: str) -> str:
            return {"{rows} rows": "{zeilen} Zeilen", "{n} runs": "{n"}.get(message, message)

    monkeypatch.setattr(language, "_catalogue", Faulty)
    assert say("{rows} rows", rows=3) == "3 rows"
    assert say("{n} runs", n=3) == "3 runs"


JAPANESE = r"""
msgid ""
msgstr ""
"Language: ja\n"
"Plural-Forms: nplurals=1; plural=0;\n"

#: riskkit/judging/measurement.py
msgid "Leak shown"
msgstr "漏洩を"
"確認"

msgid "{n:,} training"
msgid_plural "{n:,} trainings"
msgstr[0] "{n:,} 回"

#, fuzzy
msgid "Guessed"
msgstr "違う"

msgid "A \"quoted\" text"
msgstr "「引用」\n"
msgid "Not yet"
msgstr ""
#~ msgid "Gone"
#~ msgstr "消えた"
"""


@pytest.fixture
def locale(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A Japanese file of translations in a folder of its own, chosen."""
    file = tmp_path / "ja" / "LC_MESSAGES" / "riskkit.po"
    file.parent.mkdir(parents=True)
    file.write_text(JAPANESE, encoding="utf-8")
    monkeypatch.setattr(language, "FOLDER", tmp_path)
    speak(monkeypatch, "ja")
    language._load.cache_clear()
    yield file
    language._load.cache_clear()


def test_a_language_is_one_file(locale: Path) -> None:
    assert (language.languages(), language.refusal(), language.tag()) == (["en", language.MARKS, "ja"], "", "ja")
    assert say("Leak shown") == "漏洩を確認"
    assert [counted(n, "{n:,} training", "{n:,} trainings") for n in (1, 1200)] == ["1 回", "1,200 回"]
    assert say('A "quoted" text') == "「引用」\n"
    assert [say(text) for text in ("Guessed", "Not yet", "Gone", "Never seen")] == [
        "Guessed",
        "Not yet",
        "Gone",
        "Never seen",
    ]
    assert counted(2, "{n} run", "{n} runs") == "2 runs"


def test_babel_reads_the_same_of_the_whole_list(locale: Path) -> None:
    """Every text of the list, translated by its own letters turned round, as babel writes and compiles it."""
    with texts.LIST.open("rb") as listed:
        catalogue = read_po(listed, locale="pl")
    for message in catalogue:
        if message.id:
            forms = message.id if isinstance(message.id, tuple) else (message.id,)
            turned = [form[::-1] for form in (*forms, *forms)][: 3 if len(forms) > 1 else 1]
            message.string = tuple(turned) if len(forms) > 1 else turned[0]
    with locale.open("wb") as written:
        write_po(written, catalogue)
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    oracle, ours = GNUTranslations(BytesIO(compiled.getvalue())), Catalogue(locale)
    for message in catalogue:
        if isinstance(message.id, tuple):
            first, more = message.id
            for n in range(30):
                assert ours.ngettext(first, more, n) == oracle.ngettext(first, more, n)
        elif message.id:
            assert ours.gettext(message.id) == oracle.gettext(message.id) == message.id[::-1]


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ('msgid "open', ": it is no msgid, msgstr or text in double quotes."),
        ('msgid "\\x"', ": what follows a backslash has no meaning."),
        ("nonsense", ": it is no msgid, msgstr"),
    ],
)
def test_translations_that_cannot_be_read_are_a_sentence(locale: Path, fault: str, says: str) -> None:
    locale.write_text(JAPANESE + fault + "\n", encoding="utf-8")
    assert language.refusal().startswith("The translations of RISKKIT_LANGUAGE=ja cannot be read. riskkit.po, ")
    assert f"line {len(JAPANESE.splitlines()) + 1}: " in language.refusal()
    assert says in language.refusal()
    locale.write_text(JAPANESE.replace("plural=0", "plural=n+"), encoding="utf-8")
    assert language.refusal().endswith("riskkit.po: its Plural-Forms cannot be read.")
    locale.write_bytes(JAPANESE.encode("shift_jis"))
    assert language.refusal().endswith("riskkit.po is not in UTF-8. Save it so.")


@pytest.mark.second
def test_an_unknown_language_is_a_sentence_at_start(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    speak(monkeypatch, "xx")
    assert main(["check", "real.csv", "release.csv"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("riskkit: RISKKIT_LANGUAGE asks for a language that is not here. Choose one of en, ")
    started = subprocess.run(
        [sys.executable, "-m", "riskkit.dashboard.serve"], cwd=ROOT, env={**environ}, capture_output=True, text=True
    )
    assert started.returncode == 1
    assert started.stderr == error


def test_the_list_of_all_texts_is_what_the_code_says() -> None:
    assert texts.LIST.read_text(encoding="utf-8") == texts.made(), "make texts lists them anew"


def test_no_text_says_two_words_twice_in_a_row() -> None:
    """As "with the record the record" once did, on a page that joined two labels."""
    twice = re.compile(r"\b([a-z]+ [a-z]+) \1\b|\b(the|a|of|to|in|is|are|and|was) \2\b", re.IGNORECASE)
    assert twice.search("with the record the record")
    assert twice.search("is is")
    every = [form for _, text in texts.listing() for form in ((text,) if isinstance(text, str) else text)]
    assert [text for text in every if twice.search(text)] == []


def test_a_text_within_an_f_string_is_in_the_list() -> None:
    code = """
heading = f"### {say('Open now')}" + say("one " "two")
many = f"{counted(n, '{n} run', '{n} runs')}: {say(title)}"
"""
    assert list(texts.of_code(code)) == ["Open now", "one two", ("{n} run", "{n} runs")]


def test_every_page_of_the_menu_has_its_title_in_the_list() -> None:
    known = {text for _, text in texts.listing()}
    for path in (ROOT / "pages").glob("[0-9]*_*.py"):
        title, _, _ = path.read_text(encoding="utf-8").splitlines()[0].strip('"').partition(" · ")
        assert title in known


def test_what_a_run_counts_is_in_the_list() -> None:
    units = {str(questions.question(name).plan.unit) for name in questions.questions()}
    assert units <= wording.UNITS.keys()
    assert wording.UNITS.keys() == wording.UNCOUNTED.keys()


DYNAMIC = {
    "riskkit/errors.py": {"english"},
    "riskkit/attacks/_learned.py": {"title"},
    "riskkit/audit/sample.py": {"name"},
    "riskkit/dashboard/forms/plan_forms.py": {"setting.label", "setting.help"},
    "riskkit/questions/attributes/present.py": {"words.WHAT", "words.EXACT", "findings.NO_VERDICT"},
    "riskkit/dashboard/forms/plugin_forms.py": {
        "plugin.title", "plugin.card", "setting.label", "setting.unit", "setting.help"
    },
    "riskkit/dashboard/frame/plugin_names.py": {
        "setting.words[choice]", "str(registry.plugins(room)[name].title)", "plugin.title", "setting.label"
    },
    "riskkit/figures/data_charts.py": {"name"},
    "riskkit/dashboard/pages/report.py": {"page[8:-3].capitalize()"},
    "riskkit/dashboard/pages/report_files.py": {"known[name].title"},
    "riskkit/dashboard/safety.py": {"rule.why"},
    "riskkit/dashboard/frame/run_state.py": {"*texts"},
    "riskkit/dashboard/frame/state.py": {"title"},
    "riskkit/dashboard/frame/verdicts.py": {"unit"},
    "riskkit/base/extras.py": {"title"},
    "riskkit/games/attribute.py": {"title"},
    "riskkit/games/explanation_deal.py": {"offer.model.title"},
    "riskkit/games/randomised_secret.py": {"self.question.model.title"},
    "riskkit/jobs/worker.py": {"result"},  # a function of the caller that is called kept
    "riskkit/plans.py": {"str(spec.metadata.get('label', spec.name))"},
    "riskkit/questions/attributes/findings.py": {"READ[gain.risk]", "TSTR", "NO_VERDICT"},
    "riskkit/judging/judge.py": {"*MORE[measured.unit]"},
    "riskkit/judging/give_aways.py": {"*NEAR[give_away.figures.get('way', 'written')]"},
    "riskkit/dashboard/pages/attributes.py": {"words.NO_GENERATOR"},
    "riskkit/dashboard/forms/attributes_form.py": {
        "words.NO_GENERATOR", "words.WHAT", "words.BEST", "words.WITHOUT_HOLDOUT",
    },
    "riskkit/dashboard/pages/data_children.py": {"SIZES"},
    "riskkit/dashboard/pages/data_files.py": {"HELP[slot]"},
    "riskkit/dashboard/pages/record.py": {"CONFIDENTIAL"},
    "riskkit/dashboard/pages/records_one.py": {"record.CONFIDENTIAL"},
    "riskkit/dashboard/pages/data_recodes.py": {"answer"},
    "riskkit/dashboard/pages/release_run.py": {"NOTHING"},
    "riskkit/dashboard/pages/what_you_can_do.py": {"COARSER"},
    "riskkit/dashboard/pages/release.py": {"COUNTED", "HOLDOUT", "NAMED[role]", "ROWS[row]", "SEVERAL_ROWS"},
    "riskkit/dashboard/pages/released.py": {"findings.WITHOUT_HOLDOUT"},
    "riskkit/questions/membership/view.py": {"names.titles.get(setting, swept.setting)"},
    "riskkit/questions/membership/play.py": {"WHO[labels.get('unit', 'record')]"},
    "riskkit/questions/records/words.py": {"SHARED_BY"},
    "riskkit/questions/released/present.py": {"KNOWS"},
    "riskkit/report/appendix.py": {
        "KINDS[code]", "english_how", "english_risk", "meaning", "texts.SUPPRESSED", "title",
    },
    "riskkit/judging/reasons.py": {"REASONS[self.code].why", "REASONS[self.code].settle"},
    "riskkit/questions/attributes/outcome.py": {"MORE_PEOPLE", "NO_CONTROL"},
    "riskkit/questions/contest/points.py": {"measure.title", "measure.card"},
    "riskkit/questions/compared_present.py": {
        "hows[look.how]", "text", "self.nothing", "self.plain", "self.brief", "self.no_leak",
        "words.question", "words.knows", "words.hypothesis",
        "words.title", "words.axis",
    },
    "riskkit/report/document.py": {"profile.title", "findings.profile.title"},
    "riskkit/report/lines.py": {"text"},
    "riskkit/released/_attack.py": {"self.title"},
    "riskkit/questions/released/result.py": {"WHY[named.why]"},
    "riskkit/report/labels.py": {"str(declared[name]['label'])", "declared['words'][value]"},
    "riskkit/show/names.py": {"text", "label", "choice", "titles.get(f'{room}/{name}') or titles.get(name) or name"},
    "riskkit/questions/__init__.py": {"self.title"},
    "riskkit/released/texts.py": {"title"},
    "riskkit/released/two_tables.py": {"title"},
    "riskkit/wording.py": {"*UNITS[word]"},
}  # fmt: skip
"""Where a text that is said stands elsewhere: in a table, in a plug-in, in what is kept."""


COUNTS = ("counted", "counted_phrase")


def faults(source: str, dynamic: frozenset[str] = frozenset()) -> Iterator[str]:
    """What is wrong with how a file says its texts."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not (name := texts.called(node)):
            continue
        arguments = node.args[1:] if name in COUNTS else node.args
        if any(ast.unparse(argument) in dynamic for argument in arguments):
            continue
        stand = [
            argument.value
            for argument in arguments
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
        ]
        if not stand or len(stand) < len(arguments):
            yield f"line {node.lineno}: not a text that stands there"
        else:
            yield from (f"line {node.lineno}: {what}" for what in misplaced(name, stand, node.keywords))


def misplaced(function: str, forms: list[str], words: list[ast.keyword]) -> Iterator[str]:
    """Places without a value, and values without a place."""
    named = {word.arg for word in words if word.arg}
    if not all(text.strip() for text in forms):
        yield "an empty text"
    if function in ("kept", "forms") or len(named) < len(words):
        return
    known = named | {"n"} if function in COUNTS else named
    asked = {name for text in forms for _, name, _, _ in Formatter().parse(text) if name} if known else set()
    if asked - known:
        yield f"no value for {', '.join(sorted(asked - known))}"
    if named - asked:
        yield f"no place for {', '.join(sorted(named - asked))}"


def test_texts_stand_where_they_are_said_and_every_value_has_its_place() -> None:
    broken = {}
    for path in texts.files():
        name = path.relative_to(ROOT).as_posix()
        broken[name] = list(faults(path.read_text(encoding="utf-8"), frozenset(DYNAMIC.get(name, ()))))
    assert len(broken) > 500
    assert {name: lines for name, lines in broken.items() if lines} == {}


@pytest.mark.parametrize(
    "planted",
    [
        "say(f'{rows} rows')",
        "say(told)",
        "say('{rows} rows', row=3)",
        "counted(3, '{n} of {all}', '{n} of {all}')",
        "say('rows', rows=3)",
        "say('')",
        "say('a' + b)",
        "DesignError.phrase('{rows} rows', columns=3)",
    ],
)
def test_a_planted_fault_is_seen(planted: str) -> None:
    assert list(faults(planted))


def test_a_number_stays_on_the_line_of_its_sign() -> None:
    """A heading ended a line with 57 and began the next with %."""
    text = language.unbroken("57 % of 3 ‰; 5% and 100 people, x %, 42 %")
    assert text == "57\u00a0% of 3\u00a0‰; 5% and 100 people, x %, 42\u00a0%"
    assert language.unbroken("全体の57 %が") == "全体の57\u00a0%が"


def test_what_is_said_later_in_another_thread_is_in_the_language_of_whoever_asked() -> None:
    """A report is made when its button is pressed, by the server."""
    with speaking("ja"), counting("household"):
        households, ask = say("People"), keep_speaking(lambda: say("People"))
    with ThreadPoolExecutor(1) as other:
        assert other.submit(ask).result() == households
        assert other.submit(say, "People").result() == say("People") == "People" != households
