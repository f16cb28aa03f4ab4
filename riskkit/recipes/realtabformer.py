"""REaLTabFormer: rows as sentences of a small GPT-2 that is made from its settings, no weights are fetched."""

TITLE = "REaLTabFormer, 20 epochs (realtabformer 0.2.4)"
LICENCE = "MIT"
NEEDS = "Numbers and categories. Gaps are handed to it as columns of their own."
CHANCE = "It takes a seed; see the documentation for what was seen."
PINS = """
accelerate==1.15.0 annotated-doc==0.0.7 annotated-types==0.8.0 anyio==4.16.0 click==8.5.1 cloudpickle==3.1.2
datasets==5.2.0 dill==0.4.1 filelock==4.2.12 fsspec==2026.9.0 h11==0.16.0 hf-xet==1.8.0 httpcore2==2.16.2
httpx2==2.16.2 huggingface_hub==2.4.0 idna==3.20 Jinja2==3.1.6 joblib==1.6.0 markdown-it-py==4.3.0 MarkupSafe==3.0.4
mdurl==0.1.2 mpmath==1.3.0 multiprocess==0.70.19 narwhals==2.29.0 networkx==3.6.1 numpy==2.4.6 packaging==26.3
pandas==3.1.1 protobuf==7.36.2 psutil==7.2.2 pyarrow==26.0.1 pydantic==2.14.3 pydantic_core==2.50.4 Pygments==2.21.0
python-dateutil==4.0.0 PyYAML==6.0.3 realtabformer==0.2.4 regex==2026.11.15 rich==15.0.0 safetensors==0.8.0
scikit-learn==1.9.1 scipy==1.17.1 sentencepiece==0.2.3 shapely==2.2.0 shellingham==1.5.4 sympy==1.14.0
threadpoolctl==3.8.0 tokenizers==0.23.3 torch==2.13.0+cpu tqdm==4.70.1 transformers==5.23.0 truststore==0.10.5
typer==0.29.2 typing-inspection==0.4.5 typing_extensions==4.16.0 tzdata==2026.6 xxhash==4.1.0
"""
EPOCHS = 20


def fit(table, columns, seed):
    """Train it on the processor, for a fixed number of passes and without its own search for when to stop."""
    from realtabformer import REaLTabFormer

    model = REaLTabFormer(
        model_type="tabular", epochs=EPOCHS, batch_size=32, random_state=seed % 2**31, logging_steps=1000,
        save_strategy="no", eval_strategy="no", report_to=[],
    )  # fmt: skip
    model.fit(table, n_critic=0, device="cpu")
    return model


def sample(model, rows, seed):
    """Draw rows."""
    return model.sample(n_samples=rows, gen_batch=128, device="cpu")
