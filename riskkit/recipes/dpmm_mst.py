"""MST of dpmm: noisy tables of single columns and of a tree of pairs, put together, differentially private."""

TITLE = "MST, ε = 1 (dpmm 0.1.9)"
LICENCE = "Apache-2.0"
NEEDS = (
    "Numbers are cut into 20 bins over the domain that is declared; levels are the declared ones. Python below 3.12."
)
CHANCE = "It takes a seed; see the documentation for what was seen."
PINS = """
cloudpickle==3.1.2 Deprecated==1.3.1 disjoint-set==0.7.4 dpmm==0.1.9 joblib==1.6.0 networkx==2.8.8 numpy==1.26.4
opendp==0.12.1 pandas==2.1.0 python-dateutil==4.0.0 pytz==2026.6 scikit-learn==1.5.0 scipy==1.17.1
threadpoolctl==3.8.0 tqdm==4.70.1 tzdata==2026.6 wrapt==2.5.2
"""
EPSILON, BINS = 1.0, 20


def fit(table, columns, seed):
    """Measure and fit on the declared domain, with a chance to fail of one over the rows to the power of 1.5."""
    from dpmm.pipelines import MSTPipeline

    domain = {
        one["name"]: {"categories": one["levels"]}
        if one["kind"] == "category"
        else {"lower": one["low"], "upper": max(one["high"], one["low"] + 1)}
        for one in columns
    }
    model = MSTPipeline(
        epsilon=EPSILON, delta=len(table) ** -1.5, proc_epsilon=None, binner_type="uniform", n_bins=BINS, n_jobs=1
    )
    model.fit(table, domain, random_state=seed % 2**31)
    return model


def sample(model, rows, seed):
    """Draw rows of the fitted tables."""
    return model.generate(n_records=rows, random_state=seed % 2**31)
