"""The dashboard as it is, but that no page times anything beside itself: ``python -m tests.untimed``.

It looks after closed tabs every half second, too, so that no test waits for it.

There a dashboard plays small pilots of every question that was not asked yet: twenty seconds of a processor for each
audit that is opened, and they go on when its test is over. It says a minute here. Real pilots are held by
``tests/dashboard/test_pilots.py`` and ``tests/pages/test_release.py``.
"""

from dataclasses import replace

from riskkit.base import process
from riskkit.questions.forecasts import Forecast

COUNTS = ("records", "trainings", "releases", "attackers", "units", "detailed", "detectable_auc", "detectable_among")
SAID = Forecast(60.0, dict.fromkeys(COUNTS, 1))
"""The forecast of every plan, with what any of them counts."""

if __name__ == "__main__":
    process.begin_loading()
    from riskkit.dashboard import closed_tabs
    from riskkit.dashboard.forms import pilots
    from riskkit.dashboard.serve import main

    pilots.beside = lambda *_, lost: replace(lost, forecast=SAID)  # type: ignore[assignment, type-var]
    closed_tabs.EVERY = 0.5
    main()
