"""MST of SmartNoise: noisy tables of single columns and of a tree of pairs, put together, differentially private."""

TITLE = "MST, ε = 1 (smartnoise-synth 1.0.8)"
LICENCE = "MIT"
NEEDS = "Numbers are cut into 20 bins of equal width over the domain that is declared; levels are the declared ones."
CHANCE = "Pairs and rows: numpy's global state. The noise is OpenDP's, without a seed: no release can be made again."
ENVIRONMENT = "smartnoise-synth"
PINS = """
absl-py==2.5.1 antlr4-python3-runtime==4.9.3 attrs==26.1.0 chex==0.1.92 Deprecated==1.3.1 disjoint-set==0.9.0
Faker==40.63.0 filelock==4.3.1 fsspec==2026.9.0 graphviz==0.21 jax==0.10.2 jaxlib==0.10.2 Jinja2==3.1.6
MarkupSafe==3.0.4 mbi==1.1.0 ml_dtypes==0.6.0 mpmath==1.3.0 networkx==3.6.1 numpy==2.4.6 opacus==0.14.0 opendp==0.14.2
opt_einsum==3.4.0 optax==0.2.8 pac-synth==0.0.8 packaging==26.4 pandas==2.3.3 python-dateutil==4.0.0 pytz==2026.6
PyYAML==6.0.4 scipy==1.17.1 smartnoise-sql==1.0.10 smartnoise-synth==1.0.8 SQLAlchemy==2.1.9 sympy==1.14.0
toolz==1.2.0 torch==2.13.0+cpu typing_extensions==4.16.0 tzdata==2026.6 wrapt==2.5.2
"""
EPSILON, BINS = 1.0, 20


def declared(columns):
    """What turns rows into codes by the declared domain alone: no budget is spent, nothing is learned of the rows."""
    from snsynth.transform import BinTransformer, LabelTransformer, TableTransformer

    each = []
    for column in columns:
        if column["kind"] == "category":
            transformer = LabelTransformer(nullable=False)
            for level in column["levels"]:
                transformer._fit(level)
        else:
            wide = max(column["high"], column["low"] + 1)
            transformer = BinTransformer(bins=BINS, lower=column["low"], upper=wide)
        transformer._fit_finish()
        each.append(transformer)
    return TableTransformer(each)


def fit(table, columns, seed):
    """Measure and fit, with a chance to fail of one over the rows to the power of 1.5."""
    from snsynth import Synthesizer

    model = Synthesizer.create("mst", epsilon=EPSILON, delta=len(table) ** -1.5)
    model.fit(table, transformer=declared(columns), preprocessor_eps=0.0)
    return model, list(table.columns)


def sample(model, rows, seed):
    """Draw rows of the fitted tables."""
    import pandas as pd

    fitted, names = model
    return pd.DataFrame(fitted.sample(rows), columns=names)
