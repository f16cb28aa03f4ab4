"""SDV's CTGAN: a conditional generative adversarial network, with the 300 epochs that the package sets itself."""

TITLE = "CTGAN, 300 epochs, as it comes (SDV 2.0.0)"
LICENCE = "BUSL-1.1"
NEEDS = "Numbers and categories. Gaps are handed to it as columns of their own."
CHANCE = "numpy's and torch's global states, its own in a release. generators check says whether that is all."
ENVIRONMENT = "sdv"
PINS = """
boto3==1.44.5 botocore==1.44.5 cloudpickle==3.1.2 copulas==0.14.1 ctgan==0.12.1 deepecho==0.8.1 Faker==40.54.0
filelock==4.2.12 fsspec==2026.9.0 graphviz==0.21 Jinja2==3.1.6 jmespath==1.1.0 joblib==1.6.0 MarkupSafe==3.0.4
mpmath==1.3.0 narwhals==2.29.0 networkx==3.6.1 numpy==2.4.6 packaging==26.3 pandas==2.3.3 platformdirs==4.14.7
plotly==7.1.0 python-dateutil==2.9.0.post0 pytz==2026.6 PyYAML==6.0.3 rdt==2.0.0 s3transfer==0.19.3
scikit-learn==1.9.1 scipy==1.17.1 sdmetrics==0.32.0 sdv==2.0.0 six==1.17.0 sympy==1.14.0 threadpoolctl==3.8.0
torch==2.13.0+cpu tqdm==4.70.1 typing_extensions==4.16.0 tzdata==2026.6 urllib3==2.8.0
"""


def fit(table, columns, seed):
    """Train it on the processor."""
    from sdv.metadata import Metadata
    from sdv.single_table import CTGANSynthesizer

    kinds = {
        column["name"]: {"sdtype": "numerical" if column["kind"] == "number" else "categorical"} for column in columns
    }
    metadata = Metadata.load_from_dict({"tables": {"table": {"columns": kinds}}})
    model = CTGANSynthesizer(metadata, enable_gpu=False)
    model.fit({"table": table})
    return model


def sample(model, rows, seed):
    """Draw rows; without a seed of its own every release would start from one and the same."""
    model._set_random_state(seed)
    return model.sample(num_rows=rows)["table"]
