"""Forms out of fields: which widget each field gets, what comes back, and that a new plug-in needs nothing here."""

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from streamlit.testing.v1 import AppTest

from riskkit import registry
from riskkit.core import Knowledge
from riskkit.dashboard.forms import plugin_forms
from riskkit.errors import ParameterError
from riskkit.parameters import check_parameters, parameter


@dataclass(frozen=True)
class Planted:
    """A plug-in that no file of the dashboard has heard of, with a field of every type."""

    name: ClassVar[str] = "planted"
    title: ClassVar[str] = "Planted *attack*"
    card: ClassVar[str] = "Knows nothing. Needs nothing."
    knowledge: ClassVar[Knowledge] = Knowledge.NONE
    shadows: ClassVar[int] = 0

    loud: bool = parameter(False, label="Loud", help="Whether it shouts.")
    kind: str = parameter("a", label="Kind", help="Which.", choices=("a", "b"))
    count: int = parameter(3, label="Count", help="How many.", low=1, high=9, unit="rows")
    share: float = parameter(0.25, label="Share", help="How much.", low=0.0, high=1.0)
    power: float = parameter(2.0, label="Power", help="How strong.", above=0.5, high=9.0)
    rows: tuple[int, ...] = parameter((), label="Rows", help="Which rows.")

    def __post_init__(self) -> None:
        check_parameters(self)


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    real = registry.plugins

    def with_planted(room: str) -> dict[str, type[Any]]:
        return {**real(room), **({"planted": Planted} if room == "attacks" else {})}

    monkeypatch.setattr(registry, "plugins", with_planted)


def form() -> None:
    import streamlit as st

    from riskkit.dashboard.forms import plugin_forms
    from riskkit.errors import ParameterError

    try:
        st.text(plugin_forms.plugin_form("attacks", "planted", "f"))
    except ParameterError as error:
        st.error(str(error))


def drawn() -> AppTest:
    screen = AppTest.from_function(form, default_timeout=60).run()
    assert not screen.exception
    return screen


@pytest.mark.usefixtures("planted")
class TestFormOfAPlantedPlugin:
    def test_defaults_spell_the_bare_name(self) -> None:
        screen = drawn()
        assert screen.text[0].value == "planted"
        assert screen.markdown[0].value == r"**Planted \*attack\***"
        assert screen.caption[0].value == "Knows nothing. Needs nothing."

    def test_every_field_gets_the_widget_of_its_type(self) -> None:
        screen = drawn()
        assert screen.toggle(key="f.loud").label == "Loud"
        assert screen.selectbox(key="f.kind").options == ["a", "b"]
        count = screen.number_input(key="f.count")
        assert (count.label, count.min, count.max, count.value) == ("Count (rows)", 1, 9, 3)
        assert screen.slider(key="f.share").value == 0.25
        power = screen.number_input(key="f.power")
        assert (power.min, power.max, power.value) == (0.5, 9.0, 2.0), "the plug-in itself refuses an end that is none"
        assert screen.text_input(key="f.rows").help == "Which rows."

    def test_what_is_entered_comes_back_as_it_is_parsed(self) -> None:
        screen = drawn()
        screen.toggle(key="f.loud").set_value(True)
        screen.selectbox(key="f.kind").set_value("b")
        screen.number_input(key="f.count").set_value(7)
        screen.slider(key="f.share").set_value(0.5)
        screen.text_input(key="f.rows").set_value("3, 17 17").run()
        spelled = screen.text[0].value
        assert spelled == "planted:loud=True,kind=b,count=7,share=0.5,rows=3+17"
        assert registry.parse("attacks", spelled) == Planted(True, "b", 7, 0.5, rows=(3, 17))

    def test_a_wrong_list_is_a_sentence_that_keeps_what_was_typed_to_itself(self) -> None:
        screen = drawn()
        screen.text_input(key="f.rows").set_value("3, Smith").run()
        assert screen.error[0].value == "Rows: Write whole numbers with commas between them, such as 3, 17."
        assert "Smith" not in screen.error[0].value

    def test_it_is_named_with_what_is_not_at_its_default(self) -> None:
        assert plugin_forms.full_title("attacks", "planted") == "Planted *attack*"
        assert (
            plugin_forms.full_title("attacks", "planted:count=7,rows=3+17") == "Planted *attack* · Count 7, Rows 3, 17"
        )


@pytest.mark.parametrize("room", registry.ROOMS)
def test_every_plug_in_there_is_draws_and_comes_back_at_its_defaults(room: str) -> None:
    def every(room: str) -> None:
        import streamlit as st

        from riskkit import registry
        from riskkit.dashboard.forms import plugin_forms

        for name in registry.plugins(room):
            st.text(plugin_forms.plugin_form(room, name, name))

    screen = AppTest.from_function(every, kwargs={"room": room}, default_timeout=60).run()
    assert not screen.exception
    assert [text.value for text in screen.text] == list(registry.plugins(room))


@pytest.mark.parametrize(("text", "read"), [("", ()), ("3,17", (3, 17)), (" 3 ; 17+3", (3, 17))])
def test_lists_are_read_as_people_type_them(text: str, read: tuple[int, ...]) -> None:
    assert plugin_forms.numbers(text) == read


def test_a_share_is_no_row_number() -> None:
    with pytest.raises(ParameterError, match="whole numbers"):
        plugin_forms.numbers("3.5")
