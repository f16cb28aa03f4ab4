"""Linear algebra is held to one thread, whatever was loaded before or after it was looked for."""

import subprocess
import sys

import numpy as np
import pytest
import threadpoolctl

from riskkit.base.threads import single_thread, threads_for_sums

LOADED_LATER = """
import numpy
from riskkit.base.threads import single_thread

with single_thread():
    pass
import scipy.linalg
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_info

before = {pool["filepath"]: pool["num_threads"] for pool in threadpool_info()}
with single_thread():
    print(len(before), {pool["num_threads"] for pool in threadpool_info()})
print(before == {pool["filepath"]: pool["num_threads"] for pool in threadpool_info()})
"""


def test_what_is_loaded_after_the_first_look_is_held_too() -> None:
    environment = {"PATH": "", "OMP_NUM_THREADS": "3", "OPENBLAS_NUM_THREADS": "3"}
    printed = subprocess.run(
        [sys.executable, "-c", LOADED_LATER], env=environment, capture_output=True, text=True, check=True
    )
    assert printed.stdout == "3 {1}\nTrue\n"


def test_those_who_ask_are_held_as_sums_are() -> None:
    np.ones((2, 2)) @ np.ones((2, 2))
    with threadpoolctl.threadpool_limits(2):
        assert threads_for_sums() == 2
        with single_thread():
            assert threads_for_sums() == 1
        assert threads_for_sums() == 2


def test_libraries_are_not_looked_for_again_while_nothing_was_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    with single_thread():
        pass
    looks, look = list[None](), threadpoolctl.ThreadpoolController._load_libraries

    def counted(controller: threadpoolctl.ThreadpoolController) -> None:
        looks.append(None)
        look(controller)

    monkeypatch.setattr(threadpoolctl.ThreadpoolController, "_load_libraries", counted)
    for _ in range(3):
        with single_thread():
            threads_for_sums()
    assert looks == []
    monkeypatch.setitem(sys.modules, "a_module_that_was_not_there", sys)
    with single_thread():
        threads_for_sums()
    assert looks == [None]
