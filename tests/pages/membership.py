"""What tests of the Membership page share: people of whom one stands out, their audit, and all that the page says."""

from functools import partial

import numpy as np
from streamlit.testing.v1 import AppTest

from riskkit.jobs.store import Audit, Store
from riskkit.judging.provenance import Provenance
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.table.read.csv_text import read_csv
from tests.pages.screens import field, healthy, opened, unmarked

PAGE = "pages/2_membership.py"
PLAN = MembershipPlan(trainings=12, generations=2, n_syn=120)
key = partial(field, "membership")
FIRST = "7341"
"""A number that only one cell of the real table holds."""


def people(seed: int) -> bytes:
    """120 made people; the first stands out."""
    rng = np.random.default_rng(seed)
    lines = ["ward,smoker,age,cost", f"west,yes,99,{FIRST}"]
    for _ in range(119):
        ward = rng.choice(["east", "north", "south"])
        lines.append(f"{ward},{rng.choice(['no', 'yes'])},{rng.integers(20, 80)},{rng.integers(100, 900)}")
    return "\n".join(lines).encode()


def stays(made_by: str = "") -> Audit:
    """An audit with a real and a synthetic table, which that method made; no run yet."""
    made = Store.default().create("Ward *stays*")
    made.put("real", read_csv(people(0), name="real.csv"))
    made.put("synthetic", read_csv(people(1), name="a release.csv"))
    made.set_provenance(Provenance(made_by))
    return made


def page(audit: Audit | None, **query: str) -> AppTest:
    """The Membership page with that audit open."""
    return healthy(opened(audit, PAGE, **query))


def text(screen: AppTest) -> str:
    """All that the page says outside tables and charts, without what keeps Markdown off it."""
    kinds = (
        screen.title,
        screen.header,
        screen.markdown,
        screen.caption,
        screen.error,
        screen.warning,
        screen.text,
        screen.code,
    )
    return unmarked("\n".join(str(element.value) for kind in kinds for element in kind))
