"""riskkit: whom does this synthetic table expose, how, and how sure are we?

>>> import riskkit
>>> table = riskkit.read_table("real.csv")  # doctest: +SKIP
>>> result = riskkit.run_membership(table, riskkit.MembershipPlan(trainings=20))  # doctest: +SKIP

Every name is imported when it is first used: the engine takes seconds to load.
"""

from typing import TYPE_CHECKING

from riskkit.version import __version__ as __version__

if TYPE_CHECKING:
    from riskkit.core import Estimate, Scores, Table
    from riskkit.errors import DesignError, InputError, Problem, RiskkitError
    from riskkit.questions.membership.plan import MembershipPlan, forecast
    from riskkit.questions.membership.play import MembershipResult, run_membership
    from riskkit.questions.released.arrays import score_arrays
    from riskkit.questions.released.plan import ReleasedPlan
    from riskkit.questions.released.play import run_released
    from riskkit.registry import make, parse, plugins
    from riskkit.table.load import Tables, read_table, read_tables
else:
    import importlib

    _MODULES = {
        "score_arrays": "questions.released.arrays",
        "MembershipPlan": "questions.membership.plan",
        "forecast": "questions.membership.plan",
        "run_released": "questions.released.play",
        "ReleasedPlan": "questions.released.plan",
        "MembershipResult": "questions.membership.play",
        "run_membership": "questions.membership.play",
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
        "Tables": "table.load",
        "read_table": "table.load",
        "read_tables": "table.load",
    }

    def __getattr__(name):
        """A name of the list, imported; type checkers see the imports above instead."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = found = getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
        return found

    def __dir__():
        """The list and what every module has."""
        return sorted({*globals(), *__all__})


__all__ = [
    "DesignError",
    "Estimate",
    "InputError",
    "MembershipPlan",
    "MembershipResult",
    "Problem",
    "ReleasedPlan",
    "RiskkitError",
    "Scores",
    "Table",
    "Tables",
    "forecast",
    "make",
    "parse",
    "plugins",
    "read_table",
    "read_tables",
    "run_membership",
    "run_released",
    "score_arrays",
]
