"""The self-test: leaks of known size are planted, and what the installed engine makes of them is set beside the truth.

Every check makes its own table from one seed, so that it needs no file and gives the same bytes on every machine of one
kind. What it plants is known by a closed form or by counting, never by the engine itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from riskkit.audit.reporting import versions
from riskkit.audit.selftest_kept import SelfTest, SelftestCheck
from riskkit.audit.selftest_planted import CHECKS
from riskkit.base.threads import one_thread


def selftest(progress: Callable[[int, int, str], None] = lambda *_: None) -> SelfTest:
    """Run every check; ``progress`` is told how many are done of how many, and which comes next."""
    done = []
    with one_thread():
        for index, planted in enumerate(CHECKS):
            progress(index, len(CHECKS), planted.plain)
            start = time.perf_counter()
            expected, measured, passed = planted.measure()
            seconds = time.perf_counter() - start
            done.append(SelftestCheck(planted.name, planted.plain, expected, measured, passed, seconds))
    progress(len(CHECKS), len(CHECKS), "")
    return SelfTest(tuple(done), versions())
