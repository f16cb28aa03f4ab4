"""The training of TVAE: the steps of the ctgan package, for several models at once.

The package fetches rows one at a time; here they are looked up together, for all models that are trained together. What
is drawn is drawn in the package's order, so the same seeds give the same networks but for rounding; on a CUDA device
the same code runs there, with draws of its own.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import torch
from ctgan.synthesizers.tvae import Decoder, Encoder
from torch import Tensor

from riskkit.generators.engines.deep import DeepModel
from riskkit.generators.engines.mixture import Encoding, PackageDraws
from riskkit.generators.engines.stack import Networks, Spans, Streams, layout, move, stream

CODE, UNITS, WEIGHT, DECAY = 128, (128, 128), 2, 1e-5
"""Numbers that a row is compressed to, units of both networks' layers, how much a wrong cell weighs beside the law of
the code, and the decay of weights: as the package has it."""
LEAST_SIGMA, MOST_SIGMA = 0.01, 1.0
"""Where the package keeps the spread of a made number."""


class TvaeModel(DeepModel):
    """A model of TVAE: its encoding and its decoder."""

    def begin(self, frame: pd.DataFrame, discrete: Sequence[str]) -> TvaeStart:
        """Encode a frame whose discrete columns are named, and draw the first weights of both networks."""
        self.encoding = Encoding(frame, discrete)
        rows, width = self.encoding.encode(frame), self.encoding.width
        self.encoder = encoder = Encoder(width, UNITS, CODE).to(self.device)
        self.network = Decoder(CODE, UNITS, width).to(self.device)
        shuffles = stream("cpu")
        draws = shuffles if self.device.type == "cpu" else stream(self.device)
        return TvaeStart(self, encoder, torch.from_numpy(rows.astype("float32")), shuffles, draws)

    def familiarity(self, frame: pd.DataFrame) -> np.ndarray:
        """(n,) minus the loss of each row, from the middle of its code: how well the row comes back."""
        rows = torch.from_numpy(self.encoding.encode(frame).astype("float32")).to(self.device)
        centre, _, logs = self.encoder.to(self.device)(rows)
        made, spreads = self.network(centre)
        off = row_losses(Spans(self.encoding.spans, self.device), made, rows, spreads)
        known: np.ndarray = -(WEIGHT * off + (centre**2 + logs.exp() - logs - 1).sum(-1) / 2).double().cpu().numpy()
        return np.where(self.encoding.knows(frame), known, -np.inf)

    def sample(self, n: int) -> pd.DataFrame:
        """``n`` rows from new codes."""
        chance, rows = Streams([stream(self.device)], self.device), []
        for _ in range(n // self.batch_size + 1):
            made, spreads = self.network(chance.normal(self.batch_size, CODE)[0])
            rows.append(torch.tanh(made).cpu().numpy())
        return self.encoding.decode(np.concatenate(rows)[:n], spreads.cpu().numpy(), PackageDraws(self.seed))


@dataclass(frozen=True, slots=True, eq=False)
class TvaeStart:
    """A model whose training may begin: its encoder, its encoded rows, and where its shuffles and draws come from."""

    model: TvaeModel
    encoder: Any
    rows: Tensor
    shuffles: torch.Generator
    stream: torch.Generator

    @property
    def shape(self) -> Hashable:
        """What models that are trained together have in common: rows and batches, and how a row is laid out."""
        return len(self.rows), layout(self.model.encoding.spans)

    def order(self) -> Tensor:
        """The rows in the order of one epoch, as torch's loader of shuffled batches draws it."""
        for _ in range(2):  # the first is for processes that would load rows, of which there are none
            seed = torch.empty((), dtype=torch.int64).random_(generator=self.shuffles)
        return torch.randperm(len(self.rows), generator=torch.Generator().manual_seed(int(seed)))


def learn(together: Sequence[TvaeStart], *, is_short: bool = False) -> None:
    """Train models of one shape; ``is_short`` has products made in bfloat16."""
    model, rows = together[0].model, len(together[0].rows)
    starts = range(0, rows, model.batch_size)
    training = Training(together, is_short=is_short)
    encoded = torch.stack([begun.rows for begun in together]).to(model.device)
    models = torch.arange(len(together))[:, None]
    for _ in range(model.epochs):
        order = torch.stack([begun.order() for begun in together])
        for start in starts:
            training.step(encoded[models, order[:, start : start + model.batch_size]])
    training.encoders.put_back()
    training.decoders.put_back()


class Training:
    """Both networks of every model and what they learn with, a batch at a time."""

    def __init__(self, together: Sequence[TvaeStart], *, is_short: bool = False) -> None:
        model = together[0].model
        self.chance = Streams([begun.stream for begun in together], model.device)
        self.spans = Spans(model.encoding.spans, model.device)
        self.encoders = Networks([begun.encoder for begun in together], is_short=is_short)
        self.decoders = Networks([begun.model.network for begun in together], is_short=is_short)
        weights = [*self.encoders.weights.values(), *self.decoders.weights.values()]
        self.optimizer = torch.optim.Adam(weights, weight_decay=DECAY, fused=True)

    def step(self, rows: Tensor) -> None:
        """One batch of each: what the rows are made into and back, how far off that is, and the weights moved."""
        batch, encoders = rows.shape[1], self.encoders
        feature = encoders.tower(["seq.0", "seq.2"], rows).relu()
        centre, logs = encoders.linear("fc1", feature), encoders.linear("fc2", feature)
        spread = torch.exp(0.5 * logs)
        code = self.chance.normal(*spread.shape[1:]) * spread + centre
        made = self.decoders.tower(["seq.0", "seq.2", "seq.4"], code)
        off = row_losses(self.spans, made, rows, self.decoders.weights["sigma"][:, None]).sum()
        divergence = (centre**2 + logs.exp() - logs - 1).sum() / 2
        move(self.optimizer, (WEIGHT * off + divergence) / batch)
        with torch.no_grad():
            self.decoders.weights["sigma"].clamp_(LEAST_SIGMA, MOST_SIGMA)


def row_losses(spans: Spans, made: Tensor, rows: Tensor, spreads: Tensor) -> Tensor:
    """(..., rows) minus the log likelihood of each row by what was made of it; ``spreads`` (..., width) of numbers."""
    off = torch.zeros(rows.shape[:-1], device=made.device)
    for where in spans.softmax:
        off = off - (rows[..., where] * made[..., where].log_softmax(-1)).sum(-1)
    if len(tanh := spans.tanh):  # without a number spreads have no gradient, and do not shrink either
        sigma = spreads[..., tanh]
        square = (rows[..., tanh] - made[..., tanh].tanh()) ** 2
        off = off + (square / (2 * sigma**2) + sigma.log()).sum(-1)
    return off
