"""The Python version of R's synthpop: column after column, each drawn from a tree grown on those before it."""

TITLE = "synthpop in Python (py-synthpop 0.1.2)"
LICENCE = "MIT"
NEEDS = "Numbers and categories. Gaps are handed to it as columns of their own."
CHANCE = "Everything: its trees and draws take a seed, and numpy's global state."
PINS = """
cloudpickle==3.1.2 joblib==1.6.0 numpy==1.26.4 pandas==1.5.3 py-synthpop==0.1.2 python-dateutil==4.0.0 pytz==2026.6
scikit-learn==1.5.2 scipy==1.13.1 threadpoolctl==3.8.0 tzdata==2026.6
"""


def fit(table, columns, seed):
    """Grow a tree for every column."""
    from synthpop import Synthpop

    whole = {column["name"]: column.get("decimals") == 0 for column in columns}
    kinds = {column["name"]: "category" if column["kind"] == "category" else "float" for column in columns}
    kinds = {name: "int" if kind == "float" and whole[name] else kind for name, kind in kinds.items()}
    for name, kind in kinds.items():
        if kind == "category":
            table[name] = table[name].astype("category")
    model = Synthpop(seed=seed % 2**31)
    model.fit(table, kinds)
    return model


def sample(model, rows, seed):
    """Draw the columns one after the other."""
    return model.generate(rows)
