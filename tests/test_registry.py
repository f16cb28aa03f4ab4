"""The folder is the list: what is found, what is refused, and what is written and read back."""

import importlib
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as settings_of_hypothesis
from hypothesis import strategies as st

from riskkit import own, registry
from riskkit.dashboard.forms.plugin_forms import full_title
from riskkit.errors import ParameterError, PluginError
from riskkit.parameters import check_parameters, parameter
from riskkit.registry import make, parse, plugins, settings, spell

ROOT = Path(__file__).resolve().parents[1] / "riskkit"

GOOD = """
from dataclasses import dataclass
from typing import ClassVar

@dataclass(frozen=True)
class Planted:
    name: ClassVar[str] = "{name}"
    title: ClassVar[str] = "Planted"
    card: ClassVar[str] = "Nothing."

    def fit(self):
        return self

    choose = score = measure = sections = fit

PLUGIN = Planted
"""


@pytest.fixture(params=registry.ROOMS)
def room(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def folder(room: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A second, empty folder of the room; all is as it was afterwards."""
    package = importlib.import_module(f"riskkit.{room}")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    known, names = set(sys.modules), set(vars(package))
    plugins.cache_clear()
    yield tmp_path
    for module in set(sys.modules) - known:
        if module.startswith(f"riskkit.{room}."):
            del sys.modules[module]
    for name in set(vars(package)) - names:
        delattr(package, name)
    plugins.cache_clear()


def plant(folder: Path, name: str, text: str) -> None:
    (folder / f"{name}.py").write_text(text, encoding="utf-8")
    importlib.invalidate_caches()


# --- what is found --------------------------------------------------------------------------------------------------


def test_every_file_of_a_room_is_found_sorted_by_name(room: str) -> None:
    files = {path.stem for path in (ROOT / room).glob("*.py") if not path.stem.startswith("_")}
    assert {plugin.__module__.rpartition(".")[2] for plugin in plugins(room).values()} == files
    assert list(plugins(room)) == sorted(plugins(room))
    assert all(plugin.name == name for name, plugin in plugins(room).items())


def test_every_plug_in_has_what_is_asked_of_one_from_outside(room: str) -> None:
    assert [own.check_plugin(room, plugin, plugin.name) for plugin in plugins(room).values()]


def test_a_new_file_is_found_and_an_internal_one_is_not(room: str, folder: Path) -> None:
    plant(folder, "planted", GOOD.format(name="planted"))
    plant(folder, "_shared", "raise RuntimeError")
    assert plugins(room)["planted"].__name__ == "Planted"
    assert list(plugins(room)) == sorted(plugins(room))
    assert spell(parse(room, "planted")) == "planted"


@pytest.mark.parametrize("room", ["attacks"])
def test_a_file_may_hold_several_variants_of_one_thing(room: str, folder: Path) -> None:
    first = GOOD.format(name="planted")
    second = "class Other(Planted):\n    name = 'planted-other'\n"
    plant(folder, "planted", f"{first}@dataclass(frozen=True)\n{second}PLUGIN = Planted, Other\n")
    assert plugins(room)["planted"].__name__ == "Planted"
    assert plugins(room)["planted-other"].__name__ == "Other"


NAMELESS = ": the plug-in has no name; add name: ClassVar[str] = ... to the class."
FROZEN = ": a plug-in must be a frozen dataclass; write @dataclass(frozen=True) above it."


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "has no PLUGIN = TheClass at its end."),
        ("import no_such_module_at_all", "does not load: ModuleNotFoundError."),
        ("def half(:", "does not load: SyntaxError."),
        ("import math\nmath.no_such_function", "does not load: AttributeError."),
        ("1 / 0", "does not load: ZeroDivisionError."),
        ("import sys\nsys.exit(0)", "does not load: SystemExit."),
        ("raise GeneratorExit", "does not load: GeneratorExit."),
        ("type('Meta', (type,), {'name': property(exit)})('Planted', (), {}).name", "does not load: SystemExit."),
        ("PLUGIN = 3", FROZEN),
        ("class Plain:\n    name = 'planted'\nPLUGIN = Plain", FROZEN),
        (GOOD.format(name="planted").replace("frozen=True", "frozen=False"), FROZEN),
        (GOOD.format(name="planted") + "PLUGIN = Planted()", FROZEN),
        (
            GOOD.format(name="planted").replace("name: ", "title: "),
            NAMELESS,
        ),
    ],
)
@pytest.mark.parametrize("room", ["attacks"])
def test_a_file_that_is_no_plug_in_is_named(room: str, folder: Path, text: str, sentence: str) -> None:
    plant(folder, "zz_planted", text)
    with pytest.raises(PluginError) as refused:
        plugins(room)
    assert str(refused.value).startswith(f"riskkit/{room}/zz_planted.py")
    assert str(refused.value).endswith(sentence)


@pytest.mark.parametrize("room", ["attacks"])
def test_a_name_that_is_taken_names_the_second_file(room: str, folder: Path) -> None:
    taken = next(iter(plugins(room)))
    plugins.cache_clear()
    plant(folder, "zz_planted", GOOD.format(name=taken))
    with pytest.raises(PluginError, match=rf"^riskkit/{room}/zz_planted\.py: the name '{taken}' is taken"):
        plugins(room)


@pytest.mark.parametrize("room", ["attacks"])
def test_an_error_is_not_remembered_once_the_file_is_mended(room: str, folder: Path) -> None:
    plant(folder, "zz_planted", "1 / 0")
    with pytest.raises(PluginError):
        plugins(room)
    (folder / "zz_planted.py").unlink()
    importlib.invalidate_caches()
    assert "zz_planted" not in plugins(room)


def test_there_are_no_other_rooms() -> None:
    with pytest.raises(PluginError, match=r"no room 'kitchen'.*generators, targets, attacks"):
        plugins("kitchen")


# --- writing and reading --------------------------------------------------------------------------------------------


COMMANDS = st.lists(st.text().map(lambda word: word.replace("\0", "")), max_size=3).map(
    lambda words: f"mine {{train}} {{n}} {{out}} {shlex.join(words)}"
)
"""Command lines with whatever a shell lets a word hold."""


def values(setting: registry.Setting) -> st.SearchStrategy[Any]:
    """Every value that a setting may have."""
    if setting.name == "command":
        return COMMANDS
    if setting.name in ("program", "recipe"):  # a generator of one's own has one of these and a command
        return st.just("")
    if setting.choices is not None:
        return st.sampled_from(setting.choices)
    if setting.type is bool:
        return st.booleans()
    if setting.type is int:
        low, high = (None if end is None else int(end) for end in (setting.low, setting.high))
        return st.integers(low, high)
    if setting.type is float:
        return st.floats(setting.low, setting.high, allow_nan=False, allow_infinity=False)
    assert setting.type == tuple[int, ...], "a new kind of setting: say here what values it has"
    return st.lists(st.integers(0, 10**9), unique=True).map(tuple)


@pytest.mark.parametrize(("room", "name"), [(room, name) for room in registry.ROOMS for name in plugins(room)], ids=str)
@settings_of_hypothesis(max_examples=8)
@given(data=st.data())
def test_what_is_spelled_is_read_back(room: str, name: str, data: st.DataObject) -> None:
    plugin = plugins(room)[name]
    chosen = {setting.name: data.draw(values(setting), setting.name) for setting in settings(plugin)}
    made = make(room, name, **chosen)
    assert parse(room, spell(made)) == made
    for setting in settings(plugin):
        assert type(getattr(parse(room, spell(made)), setting.name)) is type(getattr(made, setting.name))


def test_only_what_is_not_at_its_default_is_spelled() -> None:
    assert spell(make("attacks", "mvl")) == "mvl"
    assert spell(make("attacks", "mvl", lam=0.5, tune=True)) == "mvl:tune=True"
    assert spell(make("attacks", "mvl", lam=0.25, variant="syn")) == "mvl:variant=syn,lam=0.25"
    assert spell(make("targets", "listed", rows=(3, 1))) == "listed:rows=3+1"


@pytest.mark.parametrize(
    ("written", "tune"),
    [("true", True), ("True", True), ("yes", True), ("1", True), ("FALSE", False), ("no", False), ("0", False)],
)
def test_yes_and_no_are_read(written: str, tune: bool) -> None:
    assert parse("attacks", f"mvl:tune={written}").tune is tune


@pytest.mark.parametrize(("written", "rows"), [("", ()), ("3", (3,)), ("3+1+2", (3, 1, 2)), ("3+", (3,))])
def test_lists_are_read(written: str, rows: tuple[int, ...]) -> None:
    assert parse("targets", f"listed:rows={written}").rows == rows


@pytest.mark.parametrize("text", ["mvl:lam=0.25,tune=no", " mvl : lam = 0.25 , tune = no ", "mvl:lam=0.25,,tune=no,"])
def test_spaces_and_empty_parts_change_nothing(text: str) -> None:
    assert parse("attacks", text) == make("attacks", "mvl", lam=0.25, tune=False)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nope", r"There is no 'nope' in attacks; choose one of .*mvl.*neighbour"),
        ("", r"There is no '' in attacks; choose one of "),
        ("nope:lam=1", r"There is no 'nope' in attacks"),
        ("mvl:speed=1", r"mvl has no parameter 'speed'; its parameters are variant, lam, tune, scale, own\."),
        ("mvl:lam", r"'mvl:lam': write parameters as name:field=value,field=value\."),
        ("mvl:lam=much", r"'mvl:lam=much': 'much' is not a value of type float\."),
        ("mvl:lam=", r"'' is not a value of type float\."),
        ("mvl:tune=maybe", r"'maybe' is not a value of type bool\."),
        ("mvl:own=2.5", r"'2\.5' is not a value of type int\."),
        ("mvl:own=True", r"'True' is not a value of type int\."),
        ("mvl:lam=nan", r"mvl: lam is nan; it must be a number\."),
        ("mvl:lam=2", r"mvl: lam is 2\.0; it must be at least 0\.0 and at most 1\.0\."),
        ("mvl:variant=best", r"mvl: variant is 'best'; it may be 'orig', 'syn', 'corrected'\."),
        ("mvl:lam=0.1,lam=0.2", r"'mvl:lam=0\.1,lam=0\.2': lam is given twice; give it once\."),
    ],
)
def test_what_cannot_be_read_is_answered_with_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        parse("attacks", text)


@dataclass(frozen=True)
class Worded:
    """A plug-in with a free text."""

    name: ClassVar[str] = "worded"
    family: ClassVar[str] = "anonymiser"
    text: str = "as it was"
    size: int = 4


@pytest.fixture
def worded(monkeypatch: pytest.MonkeyPatch) -> None:
    real = plugins
    monkeypatch.setattr(registry, "plugins", lambda room: {**real(room), "worded": Worded})


@pytest.mark.usefixtures("worded")
class TestFreeTexts:
    @settings_of_hypothesis(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(text=st.text() | st.text('a,|":=+\\ \n{}'), size=st.integers())
    def test_any_text_is_read_back(self, text: str, size: int) -> None:
        made = Worded(text, size)
        for room in registry.ROOMS:
            assert parse(room, spell(made)) == made
            assert parse(room, f" {spell(made)} ") == made

    @settings_of_hypothesis(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(texts=st.lists(st.text() | st.text('a,|":=\\ '), min_size=2, max_size=4))
    def test_any_text_is_read_back_in_a_chain(self, texts: list[str]) -> None:
        spelled = registry.BAR.join(spell(Worded(text)) for text in texts)
        chain = parse("generators", spelled)
        assert [step.text for step in chain.steps] == texts
        assert parse("generators", spell(chain)) == chain
        assert [parse("generators", step).text for step in registry.steps(spelled)] == texts

    @pytest.mark.parametrize(
        ("written", "text"),
        [
            ('"a,b|c"', "a,b|c"),
            ("say \\n", "say \\n"),
            ("a=b:c", "a=b:c"),
            (' " x " ', " x "),
            (r'"\"\\"', '"\\'),
            ('""', ""),
            ("", ""),
            ('x="1,2"y', 'x="1,2"y'),
        ],
    )
    def test_quotes_hold_what_would_be_taken_apart(self, written: str, text: str) -> None:
        assert parse("attacks", f"worded:text={written},size=5") == Worded(text, 5)

    def test_quotes_are_written_only_where_they_are_needed(self) -> None:
        assert spell(Worded("run {train} {n} --k=v C:\\x '1+2'")) == "worded:text=run {train} {n} --k=v C:\\x '1+2'"
        assert spell(Worded("a,b")) == 'worded:text="a,b"'
        assert spell(Worded("")) == "worded:text="

    @pytest.mark.parametrize("text", ['worded:text="a', 'worded:text=a"b', r'worded:text="a\"'])
    def test_a_quote_that_stays_open_is_a_sentence(self, text: str) -> None:
        for room in registry.ROOMS:
            with pytest.raises(ParameterError, match="a double quote is opened and never closed"):
                parse(room, text)


def test_a_menu_of_what_there_is_now_is_asked_each_time() -> None:
    there = ["a"]

    @dataclass(frozen=True)
    class Asked:
        name: ClassVar[str] = "asked"
        which: str = parameter("a", label="Which", help="Which.", choices=lambda: there)

        def __post_init__(self) -> None:
            check_parameters(self)

    assert settings(Asked)[0].choices == ("a",)
    there.append("b")
    assert settings(Asked)[0].choices == ("a", "b")
    assert Asked("c").which == "c"  # refused when it is used: a plan kept from another start can still be read


def test_a_list_of_something_else_is_refused() -> None:
    with pytest.raises(ParameterError, match="'1\\+two' is not a value of type"):
        parse("targets", "listed:rows=1+two")


def test_a_plug_in_without_parameters_says_so() -> None:
    with pytest.raises(ParameterError, match=r"^histogram has no parameter 'bins'; it has no parameters\.$"):
        make("generators", "histogram", bins=3)


def test_a_plain_field_is_a_setting_too() -> None:
    @dataclass(frozen=True)
    class Plain:
        name: ClassVar[str] = "plain"
        size: int = 4

    (setting,) = settings(Plain)
    assert (setting.name, setting.label, setting.type, setting.default) == ("size", "size", int, 4)
    assert (setting.help, setting.low, setting.high, setting.choices, setting.unit) == ("", None, None, None, "")


@pytest.mark.parametrize("steps", [5, 7, (1, 2)])
def test_a_setting_may_be_called_as_the_steps_of_a_chain(steps: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True)
    class Stepped:
        name: ClassVar[str] = "stepped"
        title: ClassVar[str] = "In steps"
        steps: Any = 5

    real = plugins
    monkeypatch.setattr(registry, "plugins", lambda room: {**real(room), "stepped": Stepped})
    plugin = Stepped(steps)
    assert spell(plugin) == ("stepped" if steps == 5 else f"stepped:steps={'1+2' if steps == (1, 2) else 7}")
    registry.check_ready(plugin)
    assert registry.chain_parts(plugin) == ()
    assert full_title("generators", "stepped") == "In steps"
    assert [step.name for step in registry.chain_parts(parse("generators", "rounding:base=10|noise"))] == [
        "rounding",
        "noise",
    ]
