"""MOSTLY AI's TabularARGN: column after column by a small network, ten passes here where the package has a hundred."""

TITLE = "TabularARGN, 10 epochs (mostlyai-engine 2.7.3)"
LICENCE = "Apache-2.0"
NEEDS = (
    "Numbers and categories. Gaps are handed to it as columns of their own. In place of a level that fewer than 5 to 7 "
    "rows have it writes another one (value_protection)."
)
CHANCE = "It takes a seed for the fit and one for each release, and sets the states of Python, numpy and torch by them."
PINS = """
accelerate==1.15.0 annotated-doc==0.0.7 annotated-types==0.8.0 anyio==4.16.0 apache-tvm-ffi==0.1.15.post2 click==8.5.1
cloudpickle==3.1.2 datasets==5.2.0 dill==0.4.1 filelock==4.2.12 fsspec==2026.9.0 h11==0.16.0 hf-xet==1.8.0
httpcore2==2.16.2 httpx2==2.16.2 huggingface_hub==2.4.0 idna==3.20 Jinja2==3.1.6 joblib==1.6.0 json_repair==0.64.6
markdown-it-py==4.3.0 MarkupSafe==3.0.4 mdurl==0.1.2 mostlyai-engine==2.7.3 mpmath==1.3.0 multiprocess==0.70.19
narwhals==2.29.0 networkx==3.6.1 numpy==2.4.6 opacus==1.6.0 opt_einsum==3.4.0 packaging==26.3 pandas==3.1.1
peft==0.21.2 pillow==13.0.0 psutil==5.9.8 pyarrow==26.0.1 pydantic==2.14.3 pydantic_core==2.50.4 Pygments==2.21.0
python-dateutil==4.0.0 PyYAML==6.0.3 regex==2026.11.15 rich==15.0.0 safetensors==0.8.0 scikit-learn==1.9.1
scipy==1.17.1 shellingham==1.5.4 sympy==1.14.0 threadpoolctl==3.8.0 tokenizers==0.23.3 torch==2.13.0+cpu tqdm==4.70.1
transformers==5.23.0 triton==3.9.0 truststore==0.10.5 typer==0.29.2 typing-inspection==0.4.5 typing_extensions==4.16.0
tzdata==2026.6 xgrammar==0.2.8 xxhash==4.1.0
"""
EPOCHS = 10


def fit(table, columns, seed):
    """Train it on the processor; it keeps its files in the private folder."""
    from mostlyai.engine import TabularARGN

    model = TabularARGN(max_epochs=EPOCHS, device="cpu", random_state=seed % 2**31, verbose=0)
    model.fit(table)
    return model


def sample(model, rows, seed):
    """Draw rows. In place of a rare level it would write ``_RARE_``, which no table has: so another level is drawn."""
    model.random_state = seed % 2**31
    return model.sample(n_samples=rows, rare_category_replacement_method="SAMPLE")
