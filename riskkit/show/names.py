"""What a reader may be told of the real table: everything, or nothing that stands in it.

A shareable report is not made by deleting names from a finished one. It is made with a :class:`Names` that never lets
them in: a text passes only where the engine wrote it or where it is one of the plug-ins' own names.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from riskkit.core import Estimate
from riskkit.language import Readings, again, joined, kept, say
from riskkit.phrases import Phrase, Value, phrase
from riskkit.show.model import Class, Given

# The one rule for counts of people in what is passed on: few people are never counted out.
#
# A count from 1 to 9 is withheld wherever it stands: in a sentence, a table, a chart, CSV and JSON. So is everything
# from which it could be had again: a share of a known number, the list of those it counts, their numbers one by one.
# A rate at which an attack is right is no count: it stands with its interval and its N, and the verdict stands on it.

FEWEST = 10
"""Fewer people than that are not counted out in a shareable report."""
FEW = phrase("fewer than {people}", people=FEWEST)
COUNTS = ("exposed", "exposed_by_chance", "records_above")
"""Estimates that count people."""
DIFFERENCES = {"exposed_beyond_chance": ("exposed", "exposed_by_chance")}
"""Estimates that are the difference of two counts: with the one, either tells the other."""


def is_few(value: float) -> bool:
    """Whether so many people are too few to be counted out."""
    return 0 < value < FEWEST


def people_in_words(value: float) -> str:
    """How many people, as whoever may not see rows is told it."""
    return again(FEW) if is_few(value) else exactly(value)


def exactly(value: float) -> str:
    """How many people, to the last one."""
    return f"{value:,.0f}"


ENGINE = ("metric", "baseline", "measure", "trained_on", "tested_on", "fpr", "rows", "rates", "stage", "limit", "table")
"""Labels that the engine writes itself, from a fixed list of words and its own settings."""
PLUGINS = ("generator", "attack", "model", "attacker", "anonymiser", "defence")
COLUMNS = ("secret", "feature", "by")
NOTED = ("attack", "generator", "target")
"""Values of a note that are plug-ins."""
_PLUGIN = re.compile(r"([A-Za-z][\w-]*)(?:([:=])(.*))?", re.DOTALL)
_SETTING = re.compile(r"([a-z_]+)=(-?\d+(?:\.\d+)?(?:e-?\d+)?|true|false|True|False|None)", re.DOTALL)
_WORD = re.compile(r"[a-z][a-z0-9_ -]{0,40}|-?\d+(\.\d+)?%?")
SWITCH: Mapping[str, str] = Readings({"true": kept("on"), "false": kept("off")})
"""A setting that is on or off."""
OVERALL = ("overall", "")
HIDDEN = "…"
WHOLE = (
    kept("all other columns"),
    kept("all other columns of the first table"),
    kept("all summaries of the second table"),
)
"""What the engine calls known sets that name no column: everything but the secret, and all of one of two tables."""
_WORST = re.compile(r"the worst (\d+)(?: \((.*)\))?", re.DOTALL)
"""What it calls the few columns that help most, and which they are."""


@dataclass(frozen=True, slots=True)
class Names:
    """How names, records and texts are shown. ``tells_columns``: the release's own header may be repeated."""

    kind: Class
    key: bytes
    columns: tuple[str, ...]
    titles: Mapping[str, str]
    tells_columns: bool = False

    @classmethod
    def of(cls, facts: Given, kind: Class, *, tells_columns: bool = False) -> Names:
        """The names of that audit for that class of reader."""
        names = tuple(name for name, _, _ in facts.columns)
        return cls(kind, facts.key, names, facts.titles, tells_columns or kind is Class.RESTRICTED)

    @classmethod
    def all_told(cls, titles: Mapping[str, str]) -> Names:
        """For a reader who may see the real table: every name as it is."""
        return cls(Class.RESTRICTED, b"", (), titles, tells_columns=True)

    @property
    def tells(self) -> bool:
        """Whether everything may be told."""
        return self.kind is Class.RESTRICTED

    def column(self, name: str) -> str:
        """A column's name, or its place in the table."""
        if self.tells_columns or name in OVERALL:
            return name
        return say("column {place}", place=self.columns.index(name) + 1) if name in self.columns else say("a column")

    def known(self, text: str, columns: Sequence[str] = ()) -> str:
        """What an attacker knows: a few words, or how many columns they are."""
        if text in WHOLE or self.tells_columns:
            return known_set_title(text)
        if columns:
            named = [self.column(name) for name in columns]
            return joined(named) if len(named) <= 5 else say("{columns} columns", columns=len(named))
        return say("some other columns")

    def record(self, text: str) -> str:
        """Row numbers as they are kept (``17``, ``3+17``, ``made up``), or a reference that only the key explains."""
        if self.tells or text == "made up":
            return text
        return "+".join(self._pseudonym(row) for row in text.split("+"))

    def _pseudonym(self, row: str) -> str:
        return "R-" + hmac.new(self.key, f"record {row}".encode(), hashlib.sha256).hexdigest()[:8].upper()

    def rule(self, text: str) -> str:
        """How records were chosen; its settings may be row numbers."""
        return text if self.tells else text.partition(":")[0] if text.partition(":")[0] in self.titles else HIDDEN

    def plugin(self, text: str) -> str:
        """A method with its settings; of one that is somebody's own only that it is there."""
        if self.tells:
            return text
        return "|".join(self._step(part) for part in text.split("|"))

    def _step(self, text: str) -> str:
        match = _PLUGIN.fullmatch(text)
        if match is None or match[1] not in self.titles:
            return say(
                "own method {mark}",
                mark=hashlib.sha256(self.key + text.encode(errors="replace")).hexdigest()[:4].upper(),
            )
        name, sign, settings = match.groups()
        if not settings:
            return str(name)
        if sign == "=":
            return text if re.fullmatch(r"\d+", settings) else str(name)
        kept = [part if _SETTING.fullmatch(part) else HIDDEN for part in settings.split(",")]
        return f"{name}:{','.join(dict.fromkeys(kept))}"

    def called(self, text: str, room: str = "") -> str:
        """What people call a plug-in of that room, with the settings it was spelled with."""
        return plugin_title(self.titles, self.plugin(text), room)

    def told(self, text: str) -> str:
        """A free text of the engine, which may name columns, levels or files: for the restricted report alone."""
        return text if self.tells else ""

    def note(self, text: str) -> str:
        """A note of a result in the reader's language, with the titles of the plug-ins that it names."""
        return self.told(again(self._with_titles(text)))

    def _with_titles(self, text: str) -> str:
        """The same phrase, and those in it, with titles in the places of plug-ins; any other text as it is."""
        if not isinstance(text, Phrase):
            return text
        values: dict[str, Value] = {}
        for name, value in text.values.items():
            is_plugin = name in NOTED and isinstance(value, str) and not isinstance(value, Phrase)
            named = self.called(str(value)) if is_plugin else value
            values[name] = self._with_titles(named) if isinstance(named, str) else named
        return Phrase(text.forms, values)

    def count(self, value: float) -> str:
        """How many people; small counts are withheld where single ones could be meant."""
        return exactly(value) if self.tells else people_in_words(value)

    def withholds(self, value: float) -> bool:
        """Whether so many people are not counted out, and nothing is told by which they could be."""
        return not self.tells and is_few(value)

    def estimate(self, estimate: Estimate) -> Estimate:
        """The same numbers with labels that may be told; labels nobody knows are left out."""
        labels: dict[str, str] = {}
        for name, text in estimate.labels.items():
            shown = self._label(name, str(text))
            if shown is not None:
                labels[name] = shown
        return Estimate(
            estimate.name,
            estimate.value,
            estimate.low,
            estimate.high,
            estimate.level,
            estimate.method,
            estimate.n,
            labels,
        )

    def countable(self, estimates: Iterable[Estimate]) -> Iterator[Estimate]:
        """All but small counts of people, and differences from which such a count could be had again."""
        every = tuple(estimates)
        few = {
            (estimate.name, *sorted(estimate.labels.items()))
            for estimate in every
            if estimate.name in COUNTS and self.withholds(estimate.value)
        }
        for estimate in every:
            about = sorted(estimate.labels.items())
            if not any((name, *about) in few for name in (estimate.name, *DIFFERENCES.get(estimate.name, ()))):
                yield estimate

    def _label(self, name: str, text: str) -> str | None:
        if self.tells:
            return text
        if name in PLUGINS:
            return self.plugin(text)
        if name in COLUMNS:
            return self.column(text)
        makers = {"record": self.record, "target": self.rule, "known": self.known}
        if name in makers:
            return makers[name](text)
        if name == "position":
            return text if text.isdigit() else "0"
        return text if name in ENGINE and _WORD.fullmatch(text) else None

    def settings(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """A plan: numbers and switches as they are, plug-ins by :meth:`plugin`, other texts withheld."""
        if self.tells:
            return dict(settings)
        return {name: self._setting(name, value) for name, value in settings.items()}

    def _setting(self, name: str, value: Any) -> Any:
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, list | tuple):
            return [self._setting(name, each) for each in value]
        text = str(value)
        if not text:
            return text
        if name == "targets":
            return self.rule(text)
        if name in ("secrets", "groups", "by", "secret", "target", "keys"):
            return self.column(text)
        if name == "known":
            return self.known(text) if text not in ("others", "first-table", "second-table") else text
        plugin = self.plugin(text)
        return plugin if text.partition(":")[0].partition("|")[0] in self.titles else text if _own(name) else HIDDEN


def known_set_title(text: str) -> str:
    """What the engine calls a known set, in the reader's language; names of columns as they are."""
    if text in WHOLE:
        return say(text)
    if (worst := _WORST.fullmatch(text)) is None:
        return text
    if worst[2] is None:
        return say("the worst {size}", size=worst[1])
    return say("the worst {size} ({columns})", size=worst[1], columns=worst[2])


def _own(name: str) -> bool:
    """Whether a setting holds one word of the program's own list."""
    return name in (
        "worlds",
        "relation",
        "knowledge",
        "mode",
        "rules",
        "scale",
        "no_match",
        "baseline",
        "layout",
        "explainer",
        "best_at",
        "trained_on",
        "question",
        "of_person",
        "reference",
        "rank",
        "sees",
        "optimisers",
        "random",
        "unit",
        "neighbours",
    )


def plugin_title(titles: Mapping[str, str], spelled: str, room: str = "") -> str:
    """What people call a plug-in that may be told, or several one after the other, with their settings."""
    return say(", then ").join(_title(titles, step, room) for step in spelled.split("|"))


def _title(titles: Mapping[str, str], step: str, room: str) -> str:
    name, _, settings = step.partition(":")
    title = say(titles.get(f"{room}/{name}") or titles.get(name) or name)
    if not settings:
        return title
    rooms = (key.removesuffix(f"/{name}") for key in titles if key.endswith(f"/{name}"))
    own = room if f"{room}/{name}" in titles else next(rooms, "")
    return f"{title} · {joined(_setting(titles, own, name, part) for part in _parts(settings))}"


def _parts(settings: str) -> Iterator[str]:
    """The settings that a text spells, one by one; a comma in double quotes parts none."""
    return (part.strip() for part in re.findall(r'(?:"(?:[^"\\]|\\.)*"|[^,"])+', settings))


def _setting(titles: Mapping[str, str], room: str, name: str, spelled: str) -> str:
    """One setting as its form calls it and its value; as it was spelled where no form is known."""
    setting, sign, value = spelled.partition("=")
    label = titles.get(setting_key(room, name, setting))
    if not sign or label is None:
        return spelled
    choice = titles.get(setting_key(room, name, setting, value))
    what = SWITCH.get(value.lower(), value) if choice is None else say(choice)
    return say("{where}: {what}", where=say(label), what=what)


def setting_key(room: str, name: str, setting: str, choice: str = "") -> str:
    """Where the titles have what people call a setting of a plug-in, or one of its choices."""
    return f"{room}/{name}.{setting}{'=' if choice else ''}{choice}"
