"""Attacks on a released file for those who have arrays and no tables."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from riskkit import registry
from riskkit.core import Floats
from riskkit.errors import DesignError, ScoreError
from riskkit.seeds import stream
from riskkit.table.canonical import canonical
from riskkit.table.points import points_of_arrays


def score_arrays(
    attack: str,
    release: npt.ArrayLike,
    targets: npt.ArrayLike,
    reference: npt.ArrayLike | None = None,
    rng: np.random.Generator | int | None = None,
    **parameters: object,
) -> Floats:
    """What an attack on a released file says of each target, higher meaning "in"; numbers are taken as they are.

    Nothing is scaled or left out, and there is no game around it: no holdout, no interval, no verdict. The result does
    not depend on the order of rows and columns.

    Parameters
    ----------
    attack : str
        Its name, as ``riskkit.plugins("released")`` has it: ``dcr``, ``dcr-diff``, ``domias``, ...
    release, targets, reference : array_like (rows, columns)
        Numbers; NaN is missing. ``reference`` are other rows of the population, for attacks that compare.
    rng : numpy Generator or int, optional
        For attacks that draw; a seed, 0 by default.
    **parameters
        Settings of the attack.

    Returns
    -------
    (n_targets,) scores in the order of ``targets``.

    Raises
    ------
    ParameterError
        There is no such attack or setting.
    DesignError
        The arrays do not fit together, or the attack needs a reference.
    """
    made = registry.make("released", attack, **parameters)
    arrays = [release, targets] + ([] if reference is None else [reference])
    parts, undo = canonical(points_of_arrays(arrays))
    if made.needs_reference and reference is None:
        raise DesignError(f"{attack} compares with reference rows; give them as reference.")
    own = rng if isinstance(rng, np.random.Generator) else stream(rng or 0, "score_arrays", attack)
    scores = np.asarray(made.score(parts[0], parts[1], parts[2] if len(parts) > 2 else None, own), dtype=np.float64)
    if scores.shape != (len(parts[1]),) or not np.isfinite(scores).all():
        raise ScoreError(f"{attack} did not give one finite number for each target.")
    in_order: Floats = scores[undo[1]]
    return in_order
