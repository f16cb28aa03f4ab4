"""Releases by realtabformer of made-up people, trained for few and for many passes; run in an environment of its own.

``PYTHON benchmarks/peer/realtabformer_text.py FOLDER PASSES...`` with a Python that has realtabformer 0.2.4 writes
``real.csv``, ``holdout.csv`` and, for each number of passes, ``whole_N.csv`` (the note as a column) and ``parts_N.csv``
(each part of the note as a column, put together afterwards). ``benchmarks/released_text.py --files`` audits them. The
model is a GPT-2 of two layers and 64 dimensions, made from its settings: nothing is downloaded.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from realtabformer import REaLTabFormer
from transformers import GPT2Config

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.released_text import PEOPLE, parts_of, written


def released(table: pd.DataFrame, passes: int, scratch: Path) -> pd.DataFrame:
    """As many rows as there are people."""
    torch.manual_seed(1)
    model = REaLTabFormer(
        model_type="tabular",
        tabular_config=GPT2Config(n_layer=2, n_head=4, n_embd=64),
        epochs=passes,
        batch_size=30,
        gradient_accumulation_steps=1,
        learning_rate=3e-3,
        train_size=1.0,
        report_to=[],
        checkpoints_dir=str(scratch / "checkpoints"),
        samples_save_dir=str(scratch / "samples"),
    )
    model.fit(table, n_critic=0)
    return model.sample(n_samples=len(table), gen_batch=100)


def main() -> None:
    """Make all of them."""
    torch.set_num_threads(1)
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    rng = np.random.default_rng(1)
    members, others = parts_of(PEOPLE, rng), parts_of(PEOPLE, rng)
    written(members).to_csv(folder / "real.csv", index=False)
    written(others).to_csv(folder / "holdout.csv", index=False)
    for passes in map(int, sys.argv[2:]):
        whole = released(written(members), passes, folder)
        whole.to_csv(folder / f"whole_{passes}.csv", index=False)
        parts = released(members, passes, folder)
        written(parts).to_csv(folder / f"parts_{passes}.csv", index=False)


if __name__ == "__main__":
    main()
