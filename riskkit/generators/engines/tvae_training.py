"""The training of TVAE with gradients written out by hand: the steps of the ctgan package, without its autograd.

The package adds up the loss column by column and fetches rows one at a time; here each is one product or one look-up,
for all models that are trained together. What is drawn is drawn in the package's order, so the same seeds give the same
networks but for rounding; on a CUDA device the same code runs there, with draws of its own.
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
from torch.nn import Parameter

from riskkit.generators.engines.deep import DeepModel
from riskkit.generators.engines.mixture import Encoding, PackageDraws
from riskkit.generators.engines.stack import Products, Spans, Streams, Tower, layout, stream

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
        encoder = Encoder(width, UNITS, CODE).to(self.device)
        self.network = Decoder(CODE, UNITS, width).to(self.device)
        shuffles = stream("cpu")
        draws = shuffles if self.device.type == "cpu" else stream(self.device)
        return TvaeStart(self, encoder, torch.from_numpy(rows.astype("float32")), shuffles, draws)

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
    with torch.no_grad():
        training = Training(together, is_short=is_short)
        encoded = torch.stack([begun.rows for begun in together]).to(model.device)
        models = torch.arange(len(together))[:, None]
        for _ in range(model.epochs):
            order = torch.stack([begun.order() for begun in together])
            for start in starts:
                training.step(encoded[models, order[:, start : start + model.batch_size]])
        training.put_back()


class Training:
    """Both networks of every model and what they learn with, a batch at a time."""

    def __init__(self, together: Sequence[TvaeStart], *, is_short: bool = False) -> None:
        model, encoders = together[0].model, [begun.encoder for begun in together]
        self.decoders = [begun.model.network for begun in together]
        self.chance = Streams([begun.stream for begun in together], model.device)
        self.spans = Spans(model.encoding.spans, model.device)
        products = Products(is_short=is_short)
        self.encoder = Tower([encoder.seq for encoder in encoders], products, is_cut_at_the_end=True)
        self.centre = Tower([[encoder.fc1] for encoder in encoders], products, is_cut_at_the_end=False)
        self.spread = Tower([[encoder.fc2] for encoder in encoders], products, is_cut_at_the_end=False)
        self.decoder = Tower([decoder.seq for decoder in self.decoders], products, is_cut_at_the_end=False)
        self.sigma, self.weight = Parameter(torch.stack([each.sigma for each in self.decoders])), WEIGHT
        towers = self.encoder, self.centre, self.spread, self.decoder
        weights = [values for tower in towers for layer in tower.layers for values in layer.parameters()]
        self.optimizer = torch.optim.Adam([*weights, self.sigma], weight_decay=DECAY, fused=True)

    def step(self, rows: Tensor) -> None:
        """One batch of each: what the rows are made into and back, how far off that is, and the weights moved."""
        batch = rows.shape[1]
        feature = self.encoder.forward(rows)
        centre, logs = self.centre.forward(feature), self.spread.forward(feature)
        spread = torch.exp(0.5 * logs)
        drawn = self.chance.normal(*spread.shape[1:])
        slope = self._off(self.decoder.forward(drawn * spread + centre), rows)
        code = self.decoder.backward(slope, is_first=False)
        # beside the rows: how far the code's law is from the normal law
        by_centre = torch.add(code, centre, alpha=1 / batch)
        by_logs = (code * drawn).mul_(spread).div_(2).add_(logs.exp().sub_(1), alpha=0.5 / batch)
        below = self.centre.backward(by_centre, is_first=False) + self.spread.backward(by_logs, is_first=False)
        self.encoder.backward(below, is_first=True)
        self.optimizer.step()
        self.sigma.clamp_(LEAST_SIGMA, MOST_SIGMA)

    def put_back(self) -> None:
        """Give every decoder what it has learnt."""
        for layer in self.decoder.layers:
            layer.put_back()
        for decoder, sigma in zip(self.decoders, self.sigma, strict=True):
            decoder.sigma.copy_(sigma)

    def _off(self, made: Tensor, rows: Tensor) -> Tensor:
        """Slope by the made rows of minus their log likelihood; that by the spreads is written."""
        batch, tanh = rows.shape[1], self.spans.tanh
        share = self.weight / batch
        slope = torch.empty_like(made)
        for where in self.spans.softmax:
            slope[..., where] = torch.softmax(made[..., where], dim=-1)
        slope.sub_(rows)
        if not len(tanh):
            return slope.mul_(share)
        sigma = self.sigma[:, tanh]
        near = torch.tanh(made[..., tanh])
        off = rows[..., tanh] - near
        slope[..., tanh] = off * (near * near - 1) / sigma[:, None] ** 2
        by_sigma = torch.zeros_like(self.sigma)
        by_sigma[:, tanh] = share * (batch / sigma - (off * off).sum(1) / sigma**3)
        self.sigma.grad = by_sigma
        return slope.mul_(share)
