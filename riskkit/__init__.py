"""riskkit: whom does this synthetic table expose, how, and how sure are we?

>>> import riskkit as rk
>>> tables = rk.load("real.csv", "synthetic.csv", "holdout.csv", made_by="bayesnet")  # doctest: +SKIP
>>> rk.membership(tables, "bayesnet", trainings=40)  # doctest: +SKIP

Every name is imported when it is first used: the engine takes seconds to load.
"""

from typing import TYPE_CHECKING

from riskkit.version import __version__ as __version__

if TYPE_CHECKING:
    from riskkit.core import Estimate, Scores, Table
    from riskkit.errors import DesignError, InputError, Problem, RiskkitError
    from riskkit.questions.attributes.plan import AttributePlan
    from riskkit.questions.contest.plan import ContestPlan
    from riskkit.questions.explanations.plan import ExplanationPlan
    from riskkit.questions.households.plan import HouseholdsPlan
    from riskkit.questions.keys.plan import KeysPlan
    from riskkit.questions.linkability.play import LinkabilityPlan
    from riskkit.questions.membership.plan import MembershipPlan
    from riskkit.questions.membership.play import forecast
    from riskkit.questions.one_run.plan import OneRunPlan
    from riskkit.questions.reconstruction.play import ReconstructionPlan
    from riskkit.questions.records.plan import RecordsPlan
    from riskkit.questions.released.plan import ReleasedPlan
    from riskkit.questions.released.play import score_arrays
    from riskkit.questions.singling_out.play import SinglingOutPlan
    from riskkit.registry import make, parse, plugins, register
    from riskkit.session.answer import Answer
    from riskkit.session.ask import (
        ask,
        attributes,
        contest,
        explanations,
        households,
        keys,
        linkability,
        membership,
        one_run,
        reconstruction,
        records,
        released,
        singling_out,
    )
    from riskkit.session.contracts import check_plugin
    from riskkit.session.tables import load, sample
    from riskkit.session.whole import Audit, audit
    from riskkit.table.load import Tables, read_table
else:
    import functools
    import importlib
    import importlib.util
    import sys
    from types import ModuleType

    _MODULES = {
        "score_arrays": "questions.released.play",
        "AttributePlan": "questions.attributes.plan",
        "ContestPlan": "questions.contest.plan",
        "ExplanationPlan": "questions.explanations.plan",
        "HouseholdsPlan": "questions.households.plan",
        "KeysPlan": "questions.keys.plan",
        "LinkabilityPlan": "questions.linkability.play",
        "MembershipPlan": "questions.membership.plan",
        "forecast": "questions.membership.play",
        "OneRunPlan": "questions.one_run.plan",
        "ReconstructionPlan": "questions.reconstruction.play",
        "RecordsPlan": "questions.records.plan",
        "ReleasedPlan": "questions.released.plan",
        "SinglingOutPlan": "questions.singling_out.play",
        "check_plugin": "session.contracts",
        "Estimate": "core",
        "Scores": "core",
        "Table": "core",
        "DesignError": "errors",
        "InputError": "errors",
        "Problem": "errors",
        "RiskkitError": "errors",
        "make": "registry",
        "parse": "registry",
        "plugins": "registry",
        "register": "registry",
        "Answer": "session.answer",
        "ask": "session.ask",
        "attributes": "session.ask",
        "contest": "session.ask",
        "explanations": "session.ask",
        "households": "session.ask",
        "keys": "session.ask",
        "linkability": "session.ask",
        "membership": "session.ask",
        "one_run": "session.ask",
        "reconstruction": "session.ask",
        "records": "session.ask",
        "released": "session.ask",
        "singling_out": "session.ask",
        "load": "session.tables",
        "sample": "session.tables",
        "Audit": "session.whole",
        "audit": "session.whole",
        "Tables": "table.load",
        "read_table": "table.load",
    }

    def __getattr__(name):
        """A name of the list, imported; type checkers see the imports above instead."""
        if name not in _MODULES:
            return _asking(name)
        value = getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
        return globals().setdefault(name, value)  # a package of that name may have come with it

    def _asking(name):
        """The function that asks a question that is not on the list: one that was added, or that a package brought."""
        if not name.startswith("_") and importlib.util.find_spec(f"{__name__}.{name}") is None:
            added = importlib.import_module(f"{__name__}.questions").names()
            if name in added:
                return functools.partial(importlib.import_module(f"{__name__}.session.ask").ask, name)
        near = importlib.import_module(f"{__name__}.errors").nearest(name, __all__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{near}")

    def __dir__():
        """The list and what every module has."""
        return sorted({*globals(), *__all__})

    class _Room(ModuleType):
        """A package that has the name of a question: called, it asks the question."""

        def __call__(self, *tables, **settings):
            name = self.__name__.rpartition(".")[2]
            return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)(*tables, **settings)

    class _Facade(ModuleType):
        """This package; a part of it that is imported does not hide the name of the list that it shares."""

        def __setattr__(self, name, value):
            if name in _MODULES and isinstance(value, ModuleType):
                value.__class__ = _Room
            super().__setattr__(name, value)

    sys.modules[__name__].__class__ = _Facade


__all__ = [
    "Answer",
    "AttributePlan",
    "Audit",
    "ContestPlan",
    "DesignError",
    "Estimate",
    "ExplanationPlan",
    "HouseholdsPlan",
    "InputError",
    "KeysPlan",
    "LinkabilityPlan",
    "MembershipPlan",
    "OneRunPlan",
    "Problem",
    "ReconstructionPlan",
    "RecordsPlan",
    "ReleasedPlan",
    "RiskkitError",
    "Scores",
    "SinglingOutPlan",
    "Table",
    "Tables",
    "ask",
    "attributes",
    "audit",
    "check_plugin",
    "contest",
    "explanations",
    "forecast",
    "households",
    "keys",
    "linkability",
    "load",
    "make",
    "membership",
    "one_run",
    "parse",
    "plugins",
    "read_table",
    "reconstruction",
    "records",
    "register",
    "released",
    "sample",
    "score_arrays",
    "singling_out",
]
