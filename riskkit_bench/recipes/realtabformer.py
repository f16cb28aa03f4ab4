"""REaLTabFormer: rows as sentences of a GPT-2 that is made from its settings, small here and trained for ten passes."""

TITLE = "REaLTabFormer, 2 layers, 10 epochs (realtabformer 0.2.4)"
LICENCE = "MIT"
NEEDS = "Numbers and categories. Gaps are handed to it as columns of their own."
CHANCE = "It takes a seed; the global states of numpy and torch are set too."
PINS = """
accelerate==1.15.0 aiohappyeyeballs==2.7.1 aiohttp==3.14.5 aiosignal==1.4.0 anyio==4.16.0 attrs==26.1.0
certifi==2026.10.19.post1 charset-normalizer==3.5.3 cloudpickle==3.1.3 datasets==5.0.1 dill==0.4.1 filelock==4.3.1
frozenlist==1.8.0 fsspec==2026.6.0 h11==0.16.0 hf-xet==1.8.0 httpcore==1.0.9 httpx==0.28.1 huggingface_hub==0.36.2
idna==3.20 Jinja2==3.1.6 joblib==1.6.0 MarkupSafe==3.0.4 mpmath==1.3.0 multidict==7.2.1 multiprocess==0.70.19
narwhals==2.29.0 networkx==3.6.1 numpy==2.4.6 packaging==26.4 pandas==3.1.1 propcache==0.5.4 protobuf==7.36.2
psutil==7.2.2 pyarrow==26.0.1 python-dateutil==4.0.0 PyYAML==6.0.4 realtabformer==0.2.4 regex==2026.11.19
requests==2.34.2 safetensors==0.8.0 scikit-learn==1.9.1 scipy==1.17.1 sentencepiece==0.2.3 shapely==2.2.0
sympy==1.14.0 threadpoolctl==3.8.0 tokenizers==0.22.2 torch==2.13.0+cpu tqdm==4.70.1 transformers==4.57.6
typing_extensions==4.16.0 tzdata==2026.6 urllib3==2.8.0 xxhash==4.1.0 yarl==1.25.1
"""
EPOCHS, LAYERS, HEADS, WIDTH = 10, 2, 4, 128


def fit(table, columns, seed):
    """Train it on the processor; it keeps its files in the private folder."""
    from realtabformer import REaLTabFormer
    from transformers import GPT2Config

    model = REaLTabFormer(
        model_type="tabular",
        epochs=EPOCHS,
        batch_size=32,
        gradient_accumulation_steps=1,
        tabular_config=GPT2Config(n_layer=LAYERS, n_head=HEADS, n_embd=WIDTH),
        random_state=seed % 2**31,
    )
    model.fit(table, device="cpu", n_critic=0)
    return model


def sample(model, rows, seed):
    """Write rows."""
    return model.sample(n_samples=rows, device="cpu")
