"""While a program loads nothing looks for garbage, and afterwards everything does as before."""

import gc
import subprocess
import sys

from riskkit.base import process

WORKING = """
import gc, json
from riskkit import __main__, cli

seen = []
work = cli._run
cli._run = lambda options: (seen.append(gc.isenabled()), work(options), seen.append(gc.isenabled()))[1]
__main__.sys.argv = ["riskkit", "study"]
code = __main__.main()
print(json.dumps([code, *seen]))
"""
HELPED = """
import gc, os
from joblib import Parallel, delayed
from riskkit.jobs import engines

def looks():
    engines._single_thread()
    return gc.isenabled() and gc.get_freeze_count() > 1_000

print(Parallel(n_jobs=2, initializer=engines._begin, initargs=(os.getpid(),))(delayed(looks)() for _ in range(2)))
"""


def printed(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1]


def test_a_program_that_works_looks_for_garbage_and_not_at_what_it_loaded() -> None:
    assert printed(WORKING) == "[0, false, true]"


def test_a_helper_that_plays_does_too() -> None:
    assert printed(HELPED) == "[True, True]"


def test_nobody_who_looks_for_garbage_is_kept_from_it_and_nothing_is_set_aside() -> None:
    assert gc.isenabled()
    before = gc.get_freeze_count()
    process.end_loading()
    assert (gc.isenabled(), gc.get_freeze_count()) == (True, before)
