"""Where a method of the bench comes from: what it is, in which version, under which licence."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from riskkit import recipes, registry
from riskkit.bench.plan import MethodPart
from riskkit.generators.external import External

OWN_LICENCE = "Apache-2.0"
"""That of riskkit."""
NETWORKS = {"ctgan": "BUSL-1.1 (ctgan, rdt)", "tvae": "BUSL-1.1 (ctgan, rdt)"}
"""Methods of riskkit's own that need a package under another licence."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What stands on the page of a method, and what of it is part of the name of its cells.

    ``mark`` is empty for riskkit's own methods: their version stands beside each cell.
    """

    title: str
    version: str
    licence: str
    mark: str = ""


def origin(part: MethodPart) -> Origin:
    """Of riskkit's own methods and of recipes as they are; of a program of somebody's own what the plan says of it."""
    made = registry.parse("generators", part.use)
    if not isinstance(made, External):
        return Origin(made.title, "riskkit", NETWORKS.get(made.name, OWN_LICENCE))
    if made.recipe:
        recipe = recipes.recipe(made.recipe)
        mark = sha256(recipe.file.read_bytes()).hexdigest()  # pins and functions: all that a release of it follows from
        return Origin(
            recipe.title, f"recipe {recipe.name}, {len(recipe.pins)} packages, {mark[:12]}", recipe.licence, mark
        )
    return Origin(part.title or made.title, part.version or "not said", part.licence or "not said", part.version)


def is_external(use: str) -> bool:
    """Whether the method is a program that riskkit starts."""
    return isinstance(registry.parse("generators", use), External)
