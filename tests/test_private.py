"""What a process of the dashboard is started with, so that what it lets go of is overwritten; and who is spared."""

import os
import subprocess
import sys

import pytest

from riskkit.base import process

HELD = """
import ctypes, sys
size = 4_000
address = id(text := "Quokka" * size)
place = address + sys.getsizeof("") - 1
del text
print(ctypes.string_at(place + 64, 6 * size - 64).count(b"Quokka"))
"""
"""How much of a text is where it was, once nobody holds it; its first bytes are the library's own then."""


def left(environment: dict[str, str]) -> int:
    done = subprocess.run([sys.executable, "-c", HELD], env=environment, capture_output=True, text=True, check=True)
    return int(done.stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="done on Linux alone")
def test_what_a_long_lived_process_lets_go_is_overwritten() -> None:
    assert left(process.forgetful()) == 0
    assert left(process.quick(os.environ)) > 3_000, "it is there without that"


def test_a_process_that_ends_soon_is_spared_it_and_keeps_what_a_user_has_set() -> None:
    assert process.quick({**process.FORGETTING, "A": "1"}) == {"A": "1"}
    assert process.quick({"PYTHONMALLOC": "debug"}) == {"PYTHONMALLOC": "debug"}
