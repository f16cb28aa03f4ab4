"""TabDDPM of synthcity: noise is taken from random numbers step by step, as a network learned it of noisy rows."""

TITLE = "TabDDPM, 200 steps of linear noise, 400 epochs (synthcity 0.2.12)"
LICENCE = "Apache-2.0"
NEEDS = "Numbers and categories. Gaps are handed to it as columns of their own."
CHANCE = "It takes a seed for the fit and one for each release, and sets the states of Python, numpy and torch by it."
ENVIRONMENT = "synthcity"
PINS = """
absl-py==2.5.1 accelerate==1.15.0 aiohappyeyeballs==2.7.1 aiohttp==3.14.5 aiosignal==1.4.0 alembic==1.20.1
annotated-doc==0.0.7 annotated-types==0.8.0 anyio==4.16.0 arfpy==0.1.1 async-timeout==5.0.1 attrs==26.1.0
autograd-gamma==0.5.0 autograd==1.9.1 backports-zstd==1.8.0 be-great==0.0.14 blis==1.3.4 brotli==1.2.1
catalogue==2.0.10 certifi==2026.10.19.post1 cffi==2.1.1 charset-normalizer==3.5.3 chugchug==0.1.3 click==8.5.1
cloudpathlib==0.26.0 cloudpickle==3.1.3 colorlog==6.12.0 confection==1.3.4 contourpy==1.3.3 cryptography==50.0.2
cycler==0.12.1 cymem==2.0.16 datasets==5.2.0 decaf-synthetic-data==0.1.7 dill==0.4.1 fastai==2.7.19 fastcore==1.7.29
fastdownload==0.0.8 fastprogress==1.0.5 feather-format==0.4.1 fflows==0.0.3 filelock==4.3.1 fonttools==4.68.0
formulaic==1.2.2 frozenlist==1.8.0 fsspec==2026.9.0 geomloss==0.3.1 google-ai-generativelanguage==0.6.15
google-api-core==2.33.0 google-api-python-client==2.202.0 google-auth-httplib2==0.4.4 google-auth==2.63.0
google-generativeai==0.8.6 googleapis-common-protos==1.75.0 grpcio-status==1.71.2 grpcio==1.85.3 h11==0.16.0
h5py==3.16.0 hf-xet==1.8.0 httpcore2==2.16.2 httpcore==1.0.9 httplib2==0.32.1 httpx2==2.16.2 httpx==0.28.1
huggingface-hub==2.4.0 idna==3.20 imbalanced-learn==0.14.2 importlib-metadata==10.2.0 inflate64==1.0.4
interface-meta==2.0.1 jinja2==3.1.6 joblib==1.6.0 keopscore==2.3 kiwisolver==1.5.1 lazy-importer==0.1.0
lifelines==0.29.0 lightning-utilities==0.15.3 llvmlite==0.50.0 loguru==0.7.3 mako==1.4.3 markdown-it-py==4.3.0
markdown==3.11.3 markupsafe==3.0.4 matplotlib==3.11.2 mdurl==0.1.2 monai==1.4.0 mpmath==1.3.0 multidict==7.2.1
multiprocess==0.70.19 multivolumefile==0.2.3 murmurhash==1.0.16 narwhals==2.29.0 networkx==2.8.8 nflows==0.14
numba==0.68.1 numpy==1.26.4 nvidia-cublas-cu12==12.1.3.1 nvidia-cuda-cupti-cu12==12.1.105
nvidia-cuda-nvrtc-cu12==12.1.105 nvidia-cuda-runtime-cu12==12.1.105 nvidia-cudnn-cu12==8.9.2.26
nvidia-cufft-cu12==11.0.2.54 nvidia-curand-cu12==10.3.2.106 nvidia-cusolver-cu12==11.4.5.107
nvidia-cusparse-cu12==12.1.0.106 nvidia-nccl-cu12==2.19.3 nvidia-nvjitlink-cu12==12.9.86 nvidia-nvtx-cu12==12.1.105
opacus==1.5.2 opt-einsum==3.4.0 optuna==5.0.0 packaging==26.4 pandas==2.3.3 patsy==1.0.3 pgmpy==0.1.26 pillow==13.0.0
platformdirs==4.14.8 preshed==3.0.15 propcache==0.5.4 proto-plus==1.28.2 protobuf==5.29.6 psutil==7.2.2 py7zr==1.1.4
pyarrow==26.0.1 pyasn1-modules==0.4.2 pyasn1==0.6.5 pybcj==1.0.8 pybind11==3.1.0 pycox==0.3.0 pycparser==3.12
pycryptodomex==3.24.2 pydantic-core==2.50.5 pydantic==2.14.4 pygments==2.21.0 pykeops==2.3 pyparsing==3.3.3
pyppmd==1.3.1 python-dateutil==4.0.0 pytorch-lightning==2.6.6 pyts==0.14.1 pytz==2026.6 pyyaml==6.0.4 redis==8.1.0
regex==2026.11.19 requests==2.34.2 rich==15.0.0 safetensors==0.8.0 scikit-learn==1.9.1 scipy==1.17.1
setuptools==84.2.1 shap==0.49.1 shellingham==1.5.4 sklearn-compat==0.1.6 slicer==0.0.8 smart-open==9.0.2
spacy-legacy==3.0.12 spacy-loggers==1.0.5 spacy==3.8.18 sqlalchemy==2.1.9 srsly==2.5.6 statsmodels==0.15.0
sympy==1.14.0 synthcity==0.2.12 tenacity==9.2.1 tensorboard-data-server==0.7.2 tensorboard==2.20.0 texttable==1.7.2
thinc==8.3.14 threadpoolctl==3.8.0 tokenizers==0.23.3 torch==2.2.2 torchmetrics==1.9.0 torchtext==0.17.2
torchtuples==0.2.2 torchvision==0.17.2 tqdm==4.70.1 transformers==5.24.0 triton==2.2.0 truststore==0.10.5 tsai==0.4.0
typer==0.29.2 typing-extensions==4.16.0 typing-inspection==0.4.5 tzdata==2026.6 uritemplate==4.2.0 urllib3==2.8.0
wasabi==1.1.3 weasel==1.0.1 werkzeug==3.1.9 wrapt==2.5.2 xgboost==2.1.4 xgbse==0.3.3 xxhash==4.1.0 yarl==1.25.1
zipp==4.1.2
"""
EPOCHS, NOISE, SMALLEST_BATCH = 400, 200, 100


def fit(table, columns, seed):
    """Train it on the processor, five batches an epoch.

    By its own schedule of noise, the cosine, an error of the network counts 31 times in the first step of a drawing,
    and half of all numbers lie at an end of their range. By the linear one, which the package has too, it counts 1.05
    times.
    """
    import torch
    from synthcity.plugins.core.dataloader import GenericDataLoader
    from synthcity.plugins.generic.plugin_ddpm import plugin

    model = plugin(
        n_iter=EPOCHS,
        batch_size=max(SMALLEST_BATCH, -(-len(table) // 5)),
        num_timesteps=NOISE,
        scheduler="linear",
        device=torch.device("cpu"),
        random_state=seed % 2**31,
    )
    model.fit(GenericDataLoader(table))
    return model


def sample(model, rows, seed):
    """Draw rows."""
    return model.generate(count=rows, random_state=seed % 2**31).dataframe()
