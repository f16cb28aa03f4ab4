"""MST of dpmm: noisy tables of single columns and of a tree of pairs, put together, differentially private."""

TITLE = "MST, ε = 1, 500 steps (dpmm 0.1.9)"
LICENCE = "Apache-2.0"
NEEDS = (
    "Python 3.10 or 3.11. Numbers are cut into 20 bins of equal width over the domain that is declared; levels are the "
    "declared ones."
)
CHANCE = "Pairs and rows are drawn by a seed. The noise is OpenDP's, which takes none: no release can be made again."
PINS = """
cloudpickle==3.1.3 Deprecated==1.3.1 disjoint-set==0.7.4 dpmm==0.1.9 joblib==1.6.0 networkx==2.8.8 numpy==1.26.4
opendp==0.12.1 pandas==2.1.0 python-dateutil==4.0.0 pytz==2026.6 scikit-learn==1.5.0 scipy==1.17.1 threadpoolctl==3.8.0
tqdm==4.70.1 tzdata==2026.6 wrapt==2.5.2
"""
EPSILON, BINS, STEPS = 1.0, 20, 500


def declared(columns):
    """The domain as the package takes it: levels of a category, ends of a number."""
    return {
        column["name"]: {"categories": column["levels"]}
        if column["kind"] == "category"
        else {"lower": column["low"], "upper": max(column["high"], column["low"] + 1)}
        for column in columns
    }


def fit(table, columns, seed):
    """Measure and fit, with a chance to fail of one over the rows to the power of 1.5; in this process alone."""
    from dpmm.pipelines import MSTPipeline

    model = MSTPipeline(
        epsilon=EPSILON,
        delta=len(table) ** -1.5,
        proc_epsilon=None,
        n_bins=BINS,
        n_jobs=1,
        gen_kwargs={"n_iters": STEPS},
    )
    model.fit(table, domain=declared(columns), random_state=seed % 2**32)
    return model


def sample(model, rows, seed):
    """Draw rows of the fitted tables."""
    return model.generate(n_records=rows, random_state=seed % 2**32)
