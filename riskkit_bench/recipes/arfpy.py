"""Adversarial random forests: a forest tells the table from a shuffled one, and every leaf becomes a density."""

TITLE = "Adversarial random forest (arfpy 0.1.1)"
LICENCE = "MIT"
NEEDS = "Numbers and categories. Gaps are handed to it as columns of their own."
CHANCE = "Everything: the forest and the draws come from numpy's global state."
PINS = """
arfpy==0.1.1 cloudpickle==3.1.2 joblib==1.6.0 narwhals==2.29.0 numpy==2.2.6 pandas==2.3.3 python-dateutil==4.0.0
pytz==2026.6 scikit-learn==1.9.1 scipy==1.17.1 threadpoolctl==3.8.0 tzdata==2026.6
"""


def fit(table, columns, seed):
    """Grow the forest and estimate the densities of its leaves."""
    from arfpy import arf

    model = arf.arf(x=table, num_trees=30, verbose=False, random_state=seed % 2**31)
    model.forde()
    return model


def sample(model, rows, seed):
    """Draw a leaf for each row, and the row from it."""
    return model.forge(n=rows)
