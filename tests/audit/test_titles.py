"""What people call a plug-in, looked up without loading all rooms."""

import subprocess
import sys

from riskkit.audit import report_facts

FEW = """
import sys
from riskkit.audit.report_facts import knowledge, titles
from riskkit.show.names import Names
names = titles()
knowledge()
assert names["released/dcr"] and "gen-lra" in names
loaded = [each for each in sys.modules if each.startswith("riskkit.attacks.") or each == "riskkit.inverters.network"]
from riskkit import registry
every = [registry.plugins(room) for room in registry.ROOMS]
loaded += [name for name in ("sklearn", "scipy.stats", "pandas", "torch") if name in sys.modules]
sys.exit(str(loaded) if loaded else 0)
"""


def test_each_title_is_that_of_all_rooms_together() -> None:
    every, looked_up = report_facts._titles(report_facts.ROOMS), report_facts.titles()
    assert {key: looked_up[key] for key in every} == every
    assert all(key in looked_up for key in every)
    assert dict(looked_up) == every
    for own in ("released/own", "own", "released/", "", "generators/dcr"):
        assert (own in looked_up) == (own in every)
        assert looked_up.get(own) == every.get(own)


def test_a_title_of_the_released_room_loads_no_other_room_and_no_plug_in_a_library_of_models() -> None:
    """Such a library takes a second of every command and every helper process; it is loaded where a model is fitted."""
    ended = subprocess.run([sys.executable, "-c", FEW], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
