"""How a run stands, in words: its state, how far it is, and what it waits for. Draws nothing."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from riskkit import questions, wording
from riskkit.dashboard.frame.plugin_names import plugin_title
from riskkit.errors import RiskkitError, StoreError
from riskkit.jobs.runs import LIVE, STOPPED, Run
from riskkit.language import Readings, again, choice, counted, forms, joined, phrase, say
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.report import labels

STATES: Mapping[str, tuple[str, str, str]] = Readings(
    queued=(":material/schedule:", phrase("Queued"), "violet"),
    running=(":material/play_circle:", phrase("Running"), "blue"),
    paused=(":material/pause_circle:", phrase("Paused"), "orange"),
    interrupted=(":material/power_off:", phrase("Interrupted"), "orange"),
    finished=(":material/check_circle:", phrase("Finished"), "green"),
    failed=(":material/error:", phrase("Failed"), "red"),
    cancelled=(":material/stop_circle:", phrase("Cancelled"), "gray"),
    new=(":material/help:", phrase("Never started"), "gray"),
)
"""Icon, word and colour of every state; the colour repeats what icon and word say."""
WAITING = phrase(
    "It waits for a worker, which takes it up within seconds. Several runs are worked on one after the other."
)
STOPPING = phrase("It stops within 10 seconds. What is done is kept.")
CHANGED = phrase(
    "It needs the files and columns it was started on, and they were changed since. Put them back on the Data page, "
    "or run the question again on what is there now."
)
AROUND = ("worlds", "relation", "knowledge", "rows", "auxiliary")
"""Settings of the membership game that tell one plan from another where they are not at their default."""
UNKNOWN = phrase("settings that this version does not know")
KEPT = phrase(
    "What is done is kept: Resume goes on from there, and the numbers are the same as if nothing had happened."
)


@dataclass(frozen=True, slots=True)
class RunStanding:
    """One run at one moment.

    ``label`` is its plan in a few words, ``about`` in as many as tell it from others. ``is_current`` says whether the
    audit's files and columns are still those of the run; ``error`` is the engine's sentence on why it failed or paused.
    Of one that is being played or waits ``started`` is when somebody asked for it, in seconds since 1970.
    """

    run: Run
    question: str
    state: str
    label: str
    about: str
    unit: str
    done: int = 0
    total: int = 0
    stage: str = ""
    seconds_left: float | None = None
    error: str = ""
    is_current: bool = True
    is_stopping: bool = False
    started: float = 0.0

    @property
    def is_live(self) -> bool:
        """Whether it is being played or waits to be."""
        return self.state in LIVE

    @property
    def is_stopped(self) -> bool:
        """Whether it ended before its end, or never began."""
        return self.state in STOPPED or self.state == "new"

    @property
    def can_resume(self) -> bool:
        """Whether it can go on where it was."""
        return self.is_stopped and self.is_current

    @property
    def share(self) -> float:
        """How much of it is done, from 0 to 1."""
        if self.state == "finished":
            return 1.0
        return min(self.done / self.total, 1.0) if self.total else 0.0


def standing(run: Run, revision: str) -> RunStanding:
    """How that run stands, read once; ``revision`` is that of the audit's data now."""
    now: dict[str, Any] = run.progress
    try:
        asked = run.request
    except StoreError as error:
        return RunStanding(
            run, "", "failed", again(UNKNOWN), again(UNKNOWN), "unit", error=wording.refusal(error), is_current=False
        )
    name = str(asked.get("question", MembershipPlan.question))
    label, about, unit = _plan_in_words(name, json.dumps(asked["plan"], sort_keys=True), choice())
    state = str(now["state"])
    return RunStanding(
        run=run,
        question=name,
        state=state,
        label=label,
        about=about,
        unit=unit,
        done=int(now.get("done") or 0),
        total=int(now.get("total") or 0),
        stage=again(now.get("stage") or ""),
        seconds_left=now.get("seconds_left"),
        error=again(now.get("error") or ""),
        is_current=asked["revision"] == revision,
        is_stopping=state in LIVE and run.is_cancelled,
        started=run.start_time if state in LIVE else 0.0,
    )


@lru_cache(maxsize=512)
def _plan_in_words(name: str, plan: str, language: str) -> tuple[str, str, str]:  # noqa: ARG001  a key
    """A plan in a few words, in as many as tell it from others, and what its progress counts."""
    try:
        made = questions.question(name).plan.from_dict(json.loads(plan))
    except RiskkitError:  # an old run may name a plug-in that is no longer here
        return again(UNKNOWN), again(UNKNOWN), "unit"
    return short(made), full(made), str(made.unit)


def short(plan: Any) -> str:
    """A plan in a few words, its plug-ins by what people call them."""
    few: str = again(plan.in_words(plugin_title))
    return few


def full(plan: Any) -> str:
    """A plan in one line that tells it from others of its question."""
    parts = [short(plan)]
    if isinstance(plan, MembershipPlan):
        around = {name: value for name, value in plan.changes().items() if name in AROUND}
        parts = [
            _every("generators", plan.generators),
            _every("attacks", plan.attacks),
            say(
                "{targets} by {rules}",
                targets=counted(sum(map(plan.count, plan.targets)), "{n:,} target", "{n:,} targets"),
                rules=_every("targets", plan.targets),
            ),
            counted(plan.trainings, "{n:,} training", "{n:,} trainings"),
            *(f"{label}: {value}" for label, value in labels.plan_settings(plan.question, around, plugin_title)),
        ]
    parts += [say("seed {seed}", seed=plan.seed)] if hasattr(plan, "seed") else []  # what only counts has none
    return " · ".join(parts)


def _every(room: str, spelled: Sequence[str]) -> str:
    """All plug-ins of a room that a game has, by what people call them."""
    return " + ".join(plugin_title(room, plugin) for plugin in spelled)


def word(state: str) -> str:
    """A state within a sentence."""
    return STATES[state][1].lower()


def badge(state: str) -> str:
    """The state as Markdown: icon, word, colour."""
    icon, word, colour = STATES[state]
    return f":{colour}[{icon} **{word}**]"


def question(name: str) -> str:
    """What people call that question."""
    if not name:
        return say("A run that cannot be read")
    known = questions.questions().get(name)
    return again(known.title) if known else name.replace("_", " ").capitalize()


def far(unit: str, done: int, total: int, seconds: float | None = None) -> str:
    """How much is done, and how long the rest will take."""
    if not total:
        return say("The {units} are being counted", units=wording.UNCOUNTED.get(unit, f"{unit}s"))
    left = "" if seconds is None or not done else say(" · {duration} left", duration=wording.duration(seconds))
    return say("{done:,} of {units} done{left}", done=done, units=wording.plural(total, unit), left=left)


def ticking(words: str, started: float) -> str:
    """Those words with the time since then, as a clock that ticks: whoever looks sees that the work goes on."""
    seconds = max(int(time.time() - started), 0)
    hours, minutes = seconds // 3600, seconds // 60 % 60
    clock = f"{hours}:{minutes:02}:{seconds % 60:02}" if hours else f"{minutes}:{seconds % 60:02}"
    return say("{words} · running for {clock}", words=words, clock=clock)


def progress_in_words(now: RunStanding) -> str:
    """How far a run is, with its number of units; empty where nothing is known of it."""
    if now.state == "finished":
        return wording.plural(now.total, now.unit) if now.total else ""
    if not now.total:
        return far(now.unit, 0, 0) if now.state == "running" else ""
    return far(now.unit, now.done, now.total, now.seconds_left if now.is_live else None)


def need(now: RunStanding) -> str:
    """What a run waits for, or why it ended, and the way on; empty where nothing is needed."""
    if now.is_stopping:
        return again(STOPPING)
    if now.is_stopped and not now.is_current:
        if not now.question:
            return now.error
        return f"{now.error} {again(CHANGED)}".strip()
    if now.state == "finished":
        return "" if now.is_current else say("Of an earlier version of the data: a file or a column was changed since.")
    return {
        "queued": again(WAITING),
        "paused": say(
            "{error} Then press Resume. {kept}",
            error=now.error or say("It waits until the cause is gone."),
            kept=KEPT,
        ),
        "interrupted": now.error
        or say("Its worker stopped without a message; the computer may have been switched off. {kept}", kept=KEPT),
        "cancelled": say("You stopped it. {kept}", kept=KEPT),
        "failed": say(
            "{error} Correct that and try again; what is done is kept.", error=now.error or say("It did not say why.")
        ),
        "new": say("Its worker did not start. Press Resume."),
    }.get(now.state, "")


def foremost(standings: Sequence[RunStanding]) -> RunStanding | None:
    """The run that an audit is known by: one that is being played, else one that needs the user, else the newest."""
    order = (("running",), ("queued",), ("paused",), ("interrupted", "new"), ("failed",))
    for states in order:
        for each in standings:
            if each.state in states:
                return each
    return next(iter(standings), None)


def overall(every: Sequence[Sequence[RunStanding]]) -> str:
    """All audits in one sentence: how many there are, what is being played, and what needs the user."""
    runs = [each for standings in every for each in standings]
    parts = [say("{audits} kept here", audits=counted(len(every), "{n:,} audit", "{n:,} audits"))]
    for states, texts in (
        (("running",), forms("{n:,} run under way", "{n:,} runs under way")),
        (("queued",), forms("{n:,} run waiting for a worker", "{n:,} runs waiting for a worker")),
        (("paused", "interrupted", "failed", "new"), forms("{n:,} run that needs you", "{n:,} runs that need you")),
    ):
        count = sum(run.state in states for run in runs)
        if count:
            parts.append(counted(count, *texts))
    quiet = say("; nothing is running") if len(parts) == 1 else ""
    return say("{runs}{quiet}.", runs=joined(parts), quiet=quiet)
