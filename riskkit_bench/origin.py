"""Where a method of the bench comes from: what it is, in which version, under which licence."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from riskkit import registry
from riskkit.generators.engines import recipes
from riskkit.generators.external import External
from riskkit_bench.plan import MethodPart

OWN_LICENCE = "Apache-2.0"
"""That of riskkit."""
NETWORKS = {"ctgan": "BUSL-1.1 (ctgan, rdt)", "tvae": "BUSL-1.1 (ctgan, rdt)"}
"""Methods of riskkit's own that need a package under another licence."""
SETTLED = "Everything."
"""What is said of riskkit's own methods."""
NOT_SAID = "not said"
"""Where the plan is silent about a program of somebody's own."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What stands on the page of a method, and what of it is part of the name of its cells.

    ``chance`` says what of its chance a seed settles: where it does not settle all, a cell cannot be made again to the
    same number. ``mark`` is empty for riskkit's own methods: their version stands beside each cell.
    """

    title: str
    version: str
    licence: str
    chance: str
    mark: str = ""


def origin(part: MethodPart) -> Origin:
    """Of riskkit's own methods and of recipes as they are; of a program of somebody's own what the plan says of it."""
    made = registry.parse("generators", part.use)
    if not isinstance(made, External):
        return Origin(made.title, "riskkit", NETWORKS.get(made.name, OWN_LICENCE), SETTLED)
    if made.recipe:
        recipe = recipes.recipe(made.recipe)
        mark = sha256(recipe.file.read_bytes()).hexdigest()  # pins and functions: all that a release of it follows from
        version = f"recipe {recipe.name}, {len(recipe.pins)} packages, {mark[:12]}"
        return Origin(recipe.title, version, recipe.licence, recipe.chance, mark)
    title, licence = part.title or made.title, part.licence or NOT_SAID
    return Origin(title, part.version or NOT_SAID, licence, NOT_SAID, part.version)


def is_external(use: str) -> bool:
    """Whether the method is a program that riskkit starts."""
    return isinstance(registry.parse("generators", use), External)
