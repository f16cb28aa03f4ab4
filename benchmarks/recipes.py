"""What each recipe of ``docs/adding.md`` changes, followed by itself in a clean clone: one diff a recipe.

``python benchmarks/recipes.py`` writes ``benchmarks/results/recipes`` in about two minutes: the files of the recipe as
they stand on the page, then what ``make texts`` adds for translators, and a table of both. A line in CHANGELOG.md and
translations are the author's.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.test_adding import RECIPES, files_of

ROOT = Path(__file__).resolve().parents[1]
GIT = shutil.which("git") or "git"
RESULTS = ROOT / "benchmarks" / "results" / "recipes"
HEAD = """# The recipes' diffs

Made by `benchmarks/recipes.py`: each recipe of [adding.md](../../../docs/adding.md), followed by itself in a clean
clone. What is edited is the list of texts for translators, which `make texts` writes.

| recipe | new files | lines | edited | lines |
|---|---|---|---|---|
"""


def git(clone: Path, *words: str) -> str:
    """What git says there."""
    return subprocess.run([GIT, "-C", clone, *words], check=True, capture_output=True, text=True).stdout


def followed(clone: Path, recipe: str) -> str:
    """The diff of a recipe that is followed in this clone, which is clean again afterwards."""
    for name, text in files_of(recipe).items():
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        (clone / name).write_text(text, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(clone)}
    subprocess.run([sys.executable, "-m", "tests.texts"], cwd=clone, env=env, check=True, capture_output=True)
    git(clone, "add", "--all")
    diff = git(clone, "diff", "--cached", "--no-color")
    git(clone, "reset", "--hard", "--quiet")
    return diff


def row(title: str, diff: str, name: str) -> str:
    """Its line of the table."""
    new, edited = [], []
    for part in re.split(r"^diff --git ", diff, flags=re.MULTILINE)[1:]:
        path = re.match(r"a/(\S+)", part)
        assert path is not None
        lines = len(re.findall(r"^\+(?!\+\+ )", part, re.MULTILINE))
        (new if "\nnew file mode" in part else edited).append((path[1], lines))
    cells = (f"{', '.join(f'`{path}`' for path, _ in files)} | {sum(n for _, n in files)}" for files in (new, edited))
    return f"| [{title.lower()}]({name}.diff) | {' | '.join(cells)} |\n"


def main() -> None:
    """Follow them all, and write the page."""
    RESULTS.mkdir(exist_ok=True)
    table = HEAD
    with tempfile.TemporaryDirectory() as place:
        clone = Path(place) / "clone"
        subprocess.run([GIT, "clone", "--quiet", ROOT, clone], check=True)
        for title, recipe in RECIPES.items():
            name = re.sub(r"^an? ", "", title.lower()).replace(" ", "_")
            diff = followed(clone, recipe)
            (RESULTS / f"{name}.diff").write_text(diff, encoding="utf-8")
            table += row(title, diff, name)
    (RESULTS / "README.md").write_text(table, encoding="utf-8")


if __name__ == "__main__":
    main()
