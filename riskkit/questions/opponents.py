"""What questions on methods and attackers share: how both are named in a plan, the planted control, and what it shows.

Every anonymiser makes a release, every attacker sees it, and the sample itself is released once more as a planted leak.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from riskkit import plans, registry
from riskkit.errors import DesignError, message_of
from riskkit.games.released import ReleasedAttack
from riskkit.judging.measurement import Control
from riskkit.judging.reasons import Reason
from riskkit.language import counted, joined, say
from riskkit.parameters import Option, parameter
from riskkit.phrases import phrase
from riskkit.plans import split_list
from riskkit.show.model import Part
from riskkit.show.names import Names

SUITE = ("distance", "two-sided", "dcr-diff", "dpi", "classifier", "ensemble")
"""The attackers of a plan that names none, different in kind."""
ALIASES = {"distance": "contest"}
"""What these questions call an attack, where it has another name in its room."""
CONTROL = "control"
"""The name of the planted control: a release that is the sample itself."""
SEVERAL = "NAME[:FIELD=VALUE,...],..."
_SWEEP = re.compile(r"\{([^{}\"/]*(?:/[^{}\"/]*)+)\}")


def anonymisers() -> Any:
    """The field of a plan that says which methods take part."""
    return parameter(
        ("stat", "pram:p=0.7", "pram:p=0.7,law=empirical", "kanonymity"),
        label="Anonymisers",
        room="generators",
        help="Generators, anonymisers and chains, with commas between them; pram:p={0.5/0.9} for several.",
        tidy=_anonymisers,
        option=Option(metavar=SEVERAL, several=split_list, is_stated=True),
    )


def attackers() -> Any:
    """The field of a plan that says which attackers see every release."""
    return parameter(
        ("default",),
        label="Attackers",
        room="released",
        tidy=_attackers,
        help="Attacks on a released file; distance is riskkit's nearest record, distance:direction=release,units=raw "
        "that of the PWS Cup's organisers.",
        option=Option(metavar=SEVERAL, several=split_list, is_stated=True),
    )


def control() -> Any:
    """The field of a plan that says whether the sample itself is released once more."""
    return parameter(True, label="Plant the sample itself", help="An attacker that does not find it is blind here.")


def release() -> Any:
    """The field of a plan that says how many rows a release has."""
    words = {0: "as many as the sample"}
    return parameter(0, label="Rows of a release", help="0: as many as the sample.", low=0, words=words)


def expand_sweep(text: str) -> list[str]:
    """The texts that one with braces stands for: ``pram:p={0.5/0.9}`` for two; one without stands for itself."""
    sweep = _SWEEP.search(text)
    if sweep is None:
        return [text]
    parts = [text[: sweep.start()] + value.strip() + text[sweep.end() :] for value in sweep[1].split("/")]
    return [whole for part in parts for whole in expand_sweep(part)]


def spelling(room: str, text: str) -> str:
    """A plug-in as the registry spells it."""
    return registry.spell(registry.parse(room, text))


def label(name: str, anonymisers: Sequence[str]) -> str:
    """What streams of chance call an anonymiser of the plan, or a release that was given under a name of its own."""
    return plans.label(name, anonymisers) if name in anonymisers else name


def true_name(text: str) -> str:
    """An attacker of riskkit as its room spells it."""
    name, colon, rest = text.partition(":")
    return ALIASES.get(name.strip(), name) + colon + rest


def made_attackers(names: Iterable[str]) -> dict[str, ReleasedAttack]:
    """The attacks by the names of a plan."""
    return {name: registry.parse("released", true_name(name)) for name in names}


def _attackers(texts: tuple[str, ...]) -> tuple[str, ...]:
    """The attackers as they are spelled, each once, groups as what they stand for."""
    shown = {true: alias for alias, true in ALIASES.items()}
    groups = {"default": SUITE, "all": tuple(registry.plugins("released"))}
    named = [name for text in texts for name in groups.get(text.strip(), (text,))]
    parts = [spelling("released", true_name(text)).partition(":") for text in named]
    return tuple(dict.fromkeys(shown.get(name, name) + colon + rest for name, colon, rest in parts))


def _anonymisers(texts: tuple[str, ...]) -> tuple[str, ...]:
    """The anonymisers as they are spelled, a sweep as all it stands for."""
    return tuple(spelling("generators", text) for swept in texts for text in expand_sweep(swept))


def evasion(misled: Sequence[str], called: Callable[[str], str]) -> tuple[Reason, ...]:
    """The reason that these attackers find less than guessing would; none where there are none."""
    return (Reason("evaded", {"attackers": joined(map(called, misled))}),) if misled else ()


def sample_control(finds: Mapping[str, bool], took_part: Iterable[str]) -> Control:
    """The planted control, the sample itself: ``finds`` says of each attacker whether it found it.

    One that took part and found it is enough: the strongest is judged, whoever it is.
    """
    if not finds:
        return Control.none(say("No control was planted: the sample itself was not released once more."))
    seeing = [name for name in took_part if finds.get(name, False)]
    sentence = say(
        "{seeing} of {attackers} found the sample itself when it was released as it is.",
        seeing=len(seeing),
        attackers=counted(len(finds), "{n:,} attacker", "{n:,} attackers"),
    )
    return Control(True, math.inf if seeing else -math.inf, sentence)


def not_run(name: str, refusal: DesignError, attacker: str = "") -> str:
    """That a release could not be made, or an attacker not be asked about it, and why."""
    why = message_of(refusal)
    if attacker:
        return phrase("{attacker} against {name} was not run: {why}", attacker=attacker, name=name, why=why)
    return phrase("{name} was not run: {why}", name=name, why=why)


def strongest_part(parts: Sequence[Part]) -> int:
    """The place of the part whose attacker is shown to find most."""
    lows = [-math.inf if part.measured.strongest is None else part.measured.strongest.low for part in parts]
    return lows.index(max(lows))


def method_names(released: Iterable[str], names: Names) -> str:
    """The methods that made these releases, as people call them."""
    every = joined(names.called(name, "generators") for name in released)
    return every or say("a method that could not be run")
