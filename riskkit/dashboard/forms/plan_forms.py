"""Fields of a plan drawn from what the plan says of them: label, help, range, choices. New settings need nothing here.

A :class:`Form` is that of one audit: a page asks in its own words for some settings, in its own order, and
:meth:`Form.rest` draws every other setting of the plan, so that what the command line can say can be said on the page.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any, Generic, TypeVar

import streamlit as st

from riskkit import registry
from riskkit.dashboard.forms import launch, plugin_forms, steps
from riskkit.dashboard.frame import state
from riskkit.dashboard.frame.shell import option, plain
from riskkit.errors import ParameterError, RiskkitError
from riskkit.jobs.store import Audit
from riskkit.language import again, phrase, say
from riskkit.plans import Plan
from riskkit.questions.standard import secrets_of
from riskkit.registry import Setting
from riskkit.wording import refusal

P = TypeVar("P", bound=Plan)
COLUMNS = 2
"""Fields beside each other."""
OWN = "setting"
"""What the keys of these fields have in common, and no other field of a page."""
MAKES = ("generators", "generator")
"""The settings that name the method of the release."""
NAME_IT = phrase(
    "First name the method that made the release. Or choose another one in the settings, to see what that would leak."
)


class Form(Generic[P]):
    """The form of a plan for one audit, and what was entered in it so far, by the names of the settings.

    Every field is kept for the session under question, audit and a name, so that no setting leaks into another audit.
    ``names`` are the columns in use, for the settings that name columns.
    """

    def __init__(self, plan: type[P], audit: Audit, names: Sequence[str] = ()) -> None:
        self.plan, self.audit, self.names = plan, audit, names
        self.default = plan()
        self.values: dict[str, Any] = {}
        self._settings = {setting.name: setting for setting in settings(plan)}
        self._has_wrong_method = False
        self._makes = next((name for name in MAKES if getattr(self.default, name, None)), "")
        self._follow()
        self._follow_secrets()

    def _follow_secrets(self) -> None:
        """Put the columns that other pages take for secret into the field that names them, each time these change."""
        setting, mark = self._settings.get("secrets"), self.key("secrets of the audit")
        if setting is None or not self.names:
            return
        secrets = secrets_of(self.audit.answers, state.tables(self.audit).schema)
        if st.session_state.get(mark) != secrets:
            st.session_state[mark], st.session_state[self.key(OWN, setting.name)] = secrets, list(secrets)

    def _follow(self) -> None:
        """Put the method that made the release into the fields, each time another is named; none where nobody knows."""
        made_by, mark = self.audit.provenance.method, self.key("made by")
        if not self._makes or st.session_state.get(mark) == made_by:
            return
        first = registry.steps(made_by)[0].partition(":")[0] if made_by else ""
        chosen = [first] if first in steps.menu(MAKES[0]) else []
        st.session_state[mark], st.session_state[self.key(OWN, self._makes)] = made_by, made_by or None
        st.session_state[self.key(self._makes)] = chosen if self._makes == MAKES[0] else next(iter(chosen), None)
        if chosen:
            steps.fill(MAKES[0], made_by, self.key(MAKES[0], first))

    def key(self, *parts: str) -> str:
        """The key of a field."""
        return launch.key(self.plan.question, self.audit, *parts)

    def draw(self, widget: Callable[..., Any], key: str | tuple[str, ...], label: str, *value: Any, **how: Any) -> Any:
        """A field that is no setting as it stands; ``value`` and ``how`` are what the widget takes."""
        own = self.key(*((key,) if isinstance(key, str) else key))
        return widget(label, *value, key=own, persist_state="session", **how)

    def label(self, name: str) -> str:
        """What the plan calls a setting."""
        setting = self._settings[name]
        return plain(say(setting.label))

    def ask(self, name: str, place: Any = None, label: str = "", *, key: tuple[str, ...] = (), **how: Any) -> Any:
        """Ask for a setting in that place; ``key`` where its field has another name.

        Words, widget, range, choices and first value are those of the plan, but for a ``label`` and what ``how`` has of
        its own. The answer is returned, and kept as the value of the setting.
        """
        setting = self._settings[name]
        value = how.pop("value", setting.default)
        about = _help(setting, self.names)
        how = {"key": self.key(*(key or (name,))), "help": about or None, "persist_state": "session", **how}
        with nullcontext() if place is None else place:
            entered = _field(setting, value, label or self.label(name), how, self.names)
            self.values[name] = _read(setting, entered)
        return self.values[name]

    def method(
        self,
        name: str,
        label: str = "",
        *,
        more: Mapping[str, str] | None = None,
        beneath: Callable[[str], str] = lambda _: "",
        **how: Any,
    ) -> str:
        """Ask for one method of the setting's room: a menu, and under it the form of the one that is chosen.

        It is returned spelled, and kept as the value of that setting; empty where none is chosen or its form cannot be
        used. ``more`` are choices that are no method, with their titles; ``beneath`` says something of the choice.
        """
        more, first, room = more or {}, getattr(self.default, name), self._settings[name].room
        there = [*steps.menu(room), *more]

        def title(choice: str) -> str:
            return more[choice] if choice in more else plugin_forms.title(room, choice)

        place = there.index(first) if first in there and name != self._makes else None
        how = {"placeholder": say("Choose a method"), **how}
        chosen = str(self.draw(st.selectbox, name, label or self.label(name), there, place, title, **how) or "")
        if note := beneath(chosen):
            st.caption(note)
        self.values[name] = spelled = self.spell(room, chosen) if chosen and chosen not in more else chosen
        return spelled

    def spell(self, room: str, method: str) -> str:
        """Draw the form of that method; spelled, and empty where it cannot be used."""
        spelled = steps.form(room, method, self.key(room, method))
        self._has_wrong_method |= not spelled
        return spelled

    def methods(self, name: str, first: Sequence[str] | None = None, *, columns: int = COLUMNS) -> tuple[str, ...]:
        """Ask for several methods of the setting's room, each with its form; at first for those of the plan, or others.

        They are returned spelled, and kept as the value of that setting; a text is empty where a form cannot be used.
        """
        usual, room = getattr(self.default, name) if first is None else first, self._settings[name].room
        spelled = tuple(steps.room(room, self.label(name), steps.menu(room), usual, self.key, columns=columns))
        self.values[name] = spelled
        self._has_wrong_method |= "" in spelled
        return spelled

    def check_methods(self) -> None:
        """Refuse methods whose forms cannot be used, under which stands what is wrong, and none where one is trained.

        Raises
        ------
        ParameterError
            There is such a method, or none was named.
        """
        if self._has_wrong_method:
            raise ParameterError(say("A setting above is not valid. Correct it to go on."))
        if self._makes and not self.values[self._makes]:
            raise launch.Unnamed(again(NAME_IT))

    def rest(self, *out: str, values: Mapping[str, Any] | None = None) -> None:
        """Draw every setting that was not asked for yet, but for those left ``out``; as :func:`rest`."""
        self.values |= rest(self.plan, {*self.values, *out}, self.key, values, names=self.names)

    def made(self, **more: Any) -> P:
        """The plan that was entered.

        Raises
        ------
        ParameterError, DesignError
            The settings make no plan.
        """
        self.check_methods()
        return self.plan(**{**self.values, **more})


def settings(plan: type[Plan]) -> list[Setting]:
    """The settings that a form can ask for: all but what is handed in as files."""
    return [setting for setting in registry.settings(plan) if not setting.option.by_hand]


def rest(
    plan: type[Plan],
    by_hand: Collection[str],
    key: Callable[..., str],
    values: Mapping[str, Any] | None = None,
    *,
    columns: int = COLUMNS,
    names: Sequence[str] = (),
) -> dict[str, Any]:
    """Draw every setting of a plan that is not asked ``by_hand``, and return their values.

    ``key`` makes the key of a widget of its parts; ``values`` are those that a field begins with where that is not the
    plan's default. ``names`` are the columns in use, which a setting that names columns offers.

    Raises
    ------
    ParameterError
        A list cannot be read; names the field. All fields are drawn before.
    """
    wanted = [setting for setting in settings(plan) if setting.name not in by_hand]
    places: Sequence[Any] = st.columns(columns, gap="large") if wanted else ()
    entered = {}
    for index, setting in enumerate(wanted):
        value = (values or {}).get(setting.name, setting.default)
        shown = None if _is_left_out(setting, value) else value
        how = {"key": key(OWN, setting.name), "help": _help(setting, names), "persist_state": "session"}
        with places[index % columns]:
            entered[setting.name] = _field(setting, shown, plain(say(setting.label)), how, names)
    return {setting.name: _read(setting, entered[setting.name]) for setting in wanted}


def columns_entered(plan: type[Plan], audit: Audit) -> dict[str, str]:
    """The columns that fields of :func:`rest` name, before they are drawn anew."""
    named = (setting.name for setting in settings(plan) if setting.names_columns and not setting.is_list)
    fields = {name: st.session_state.get(launch.key(plan.question, audit, OWN, name)) for name in named}
    return {name: column for name, column in fields.items() if column}


def as_entered(plan: Plan, by_hand: Collection[str]) -> dict[str, Any]:
    """What the fields of :func:`rest` hold where they say that plan, by the last parts of their keys."""
    values = {
        setting.name: (setting, getattr(plan, setting.name))
        for setting in settings(type(plan))
        if setting.name not in by_hand
    }
    return {f"{OWN}.{name}": _field_value(setting, value) for name, (setting, value) in values.items()}


def _field_value(setting: Setting, value: Any) -> Any:
    """What the field of a setting holds at that value."""
    if setting.choices is not None:
        return value
    if setting.room:
        return list(value) if setting.is_list else value or None
    if setting.is_list:
        return "\n".join(_texts(setting, value))
    return None if _is_left_out(setting, value) else value


def _field(setting: Setting, value: Any, label: str, how: dict[str, Any], names: Sequence[str]) -> Any:
    """The widget that suits type and range, with that value in it at first."""
    if setting.choices is not None and setting.is_list:
        menu = list(how.pop("options", setting.choices))
        how = {"format_func": partial(plugin_forms.choice_in_words, setting), "placeholder": say("None"), **how}
        return st.multiselect(label, menu, list(value), **how, wrap=True)
    if setting.choices is not None:
        return plugin_forms.field(setting, value, label, how)
    if setting.names_columns and names and not setting.is_list:
        return _column(label, str(value), names, how)
    if setting.names_columns and names:
        chosen = [name for name in value if name in names]
        how = {"placeholder": plugin_forms.unless_entered(setting, say("None")), **how}
        return st.multiselect(label, list(names), chosen, **how, wrap=True)
    if setting.room:
        first = value if setting.is_list else filter(None, [value])
        picked = steps.pick(
            setting.room, label, tuple(map(str, first)), how["key"], is_several=setting.is_list, about=how["help"]
        )
        return picked if setting.is_list else next(iter(picked), "")
    if setting.is_list:
        return st.text_area(label, "\n".join(_texts(setting, value)), height=80, **how)
    return plugin_forms.field(setting, value, label, how)


def _help(setting: Setting, names: Sequence[str]) -> str:
    """What a setting means, and how its field is filled where that is not seen."""
    text = plain(say(setting.help))
    is_picked = setting.choices is not None or setting.room or (setting.names_columns and names)
    return f"{text} {say('One on a line.')}" if setting.is_list and not is_picked else text


def _column(label: str, value: str, names: Sequence[str], how: dict[str, Any]) -> str:
    """A menu of the columns in use, or none; the name of another one may be written."""
    there = list(dict.fromkeys([*filter(None, [value]), *names]))
    chosen = st.selectbox(
        label,
        there,
        there.index(value) if value else None,
        option,
        placeholder=say("None"),
        accept_new_options=True,
        **how,
    )
    return chosen or ""


def _is_left_out(setting: Setting, value: Any) -> bool:
    """Whether a field is empty at that number: it is the default, and has a name that says what is taken instead."""
    return plugin_forms.type_of(setting) in (int, float) and value == setting.default and value in setting.words


def _texts(setting: Setting, value: Sequence[Any]) -> list[str]:
    """One line for each entry, as the command line writes it."""
    return [setting.option.write(entry) for entry in value]


def _read(setting: Setting, entered: Any) -> Any:
    """What was entered, as the plan wants it: lists without choices were typed as lines."""
    if not setting.is_list or not isinstance(entered, str):
        return entered
    lines = [line.strip() for line in str(entered).splitlines() if line.strip()]
    kind = typing.get_args(setting.type)[0]
    try:
        if setting.option.several is not None:
            return tuple(setting.option.several(lines))
        if setting.option.read is not None:
            return tuple(map(setting.option.read, lines))
        return plugin_forms.numbers(" ".join(lines), kind) if kind in (int, float) else tuple(lines)
    except RiskkitError as error:
        raise ParameterError(say("{where}: {what}", where=say(setting.label), what=refusal(error))) from error
