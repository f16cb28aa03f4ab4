"""riskkit: whom does this synthetic table expose, how, and how sure are we?

>>> import riskkit
>>> table = riskkit.read_table("real.csv")  # doctest: +SKIP
>>> result = riskkit.run_membership(table, riskkit.MembershipPlan(trainings=20))  # doctest: +SKIP
"""

from riskkit.audit.arrays import score_arrays
from riskkit.audit.plan import MembershipPlan, forecast
from riskkit.audit.released import run_released
from riskkit.audit.released_plan import ReleasedPlan
from riskkit.audit.run import MembershipResult, run_membership
from riskkit.core import Estimate, Scores, Table
from riskkit.errors import DesignError, InputError, Problem, RiskkitError
from riskkit.registry import make, parse, plugins
from riskkit.table.load import Tables, read_table, read_tables
from riskkit.version import __version__ as __version__

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
