"""The training of TVAE with gradients written out by hand: the steps of the ctgan package, without its autograd.

The package adds up the loss column by column and fetches rows one at a time; here each is one product or one look-up.
What is drawn is drawn in the package's order, so the same seeds give the same networks but for rounding; on a CUDA
device the same code runs there.
"""

from __future__ import annotations

from typing import Any

import torch
from ctgan import TVAE
from ctgan.synthesizers.base import random_state
from ctgan.synthesizers.tvae import Decoder, Encoder
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from riskkit import stages
from riskkit.generators._mixture import Encoding
from riskkit.generators._spans import Spans

LEAST_SIGMA, MOST_SIGMA = 0.01, 1.0
"""Where the package keeps the spread of a made number."""


class HandWritten(TVAE):  # type: ignore[misc]
    """The package's model, trained by :class:`Training`; it samples as the package does."""

    @random_state  # type: ignore[untyped-decorator]
    def fit(self, train_data: Any, discrete_columns: Any = ()) -> None:
        """Train on a frame whose discrete columns are named."""
        self.transformer = Encoding()
        self.transformer.fit(train_data, discrete_columns)
        rows = self.transformer.transform(train_data)
        width = self.transformer.output_dimensions
        encoder = Encoder(width, self.compress_dims, self.embedding_dim).to(self._device)
        self.decoder = Decoder(self.embedding_dim, self.decompress_dims, width).to(self._device)
        training = Training(self, encoder)
        encoded = EncodedRows(torch.from_numpy(rows.astype("float32")).to(self._device))
        batches = DataLoader(encoded, batch_size=self.batch_size, shuffle=True, collate_fn=_as_it_is)
        with torch.no_grad():
            for done in range(self.epochs):
                for place, batch in enumerate(batches):
                    stages.inner(done * len(batches) + place, self.epochs * len(batches))
                    training.step(batch)


class EncodedRows(Dataset[Tensor]):
    """Encoded rows, fetched a batch at a time."""

    def __init__(self, rows: Tensor) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitems__(self, places: list[int]) -> Tensor:
        return self.rows[places]


def _as_it_is(batch: Any) -> Any:
    return batch


class Tower:
    """Linear layers, each but perhaps the last with its negative sums cut off, and their slopes."""

    def __init__(self, layers: Any, *, is_cut_at_the_end: bool) -> None:
        self.layers = [layer for layer in layers if hasattr(layer, "weight")]
        self.cut = [True] * (len(self.layers) - 1) + [is_cut_at_the_end]
        self.seen: list[Tensor] = []

    def forward(self, values: Tensor) -> Tensor:
        """What comes out at the top."""
        self.seen = [values]
        for layer, is_cut in zip(self.layers, self.cut, strict=True):
            sums = torch.addmm(layer.bias, self.seen[-1], layer.weight.T)
            self.seen.append(sums.clamp_min_(0) if is_cut else sums)
        return self.seen[-1]

    def backward(self, slope: Tensor, *, is_first: bool) -> Tensor:
        """Write the slope by every weight; returns the slope by what came in, unless nothing is below."""
        for place in reversed(range(len(self.layers))):
            layer = self.layers[place]
            if self.cut[place]:
                slope = slope * (self.seen[place + 1] > 0)
            layer.weight.grad = slope.T @ self.seen[place]
            layer.bias.grad = slope.sum(0)
            if place or not is_first:
                slope = slope @ layer.weight
        return slope


class Training:
    """Both networks and what they learn with, a batch at a time."""

    def __init__(self, model: Any, encoder: Any) -> None:
        self.spans = Spans(model.transformer.output_info_list, model._device)
        self.encoder = Tower(encoder.seq, is_cut_at_the_end=True)
        self.centre, self.spread = (Tower([layer], is_cut_at_the_end=False) for layer in (encoder.fc1, encoder.fc2))
        self.decoder = Tower(model.decoder.seq, is_cut_at_the_end=False)
        self.sigma, self.weight = model.decoder.sigma, model.loss_factor
        weights = [*encoder.parameters(), *model.decoder.parameters()]
        self.optimizer = torch.optim.Adam(weights, weight_decay=model.l2scale, fused=True)

    def step(self, rows: Tensor) -> None:
        """One batch: what the rows are made into and back, how far off that is, and the weights moved."""
        feature = self.encoder.forward(rows)
        centre, logs = self.centre.forward(feature), self.spread.forward(feature)
        spread = torch.exp(0.5 * logs)
        chance = torch.randn_like(spread)
        slope = self._off(self.decoder.forward(chance * spread + centre), rows)
        code = self.decoder.backward(slope, is_first=False)
        # beside the rows: how far the code's law is from the normal law
        by_centre = torch.add(code, centre, alpha=1 / len(rows))
        by_logs = (code * chance).mul_(spread).div_(2).add_(logs.exp().sub_(1), alpha=0.5 / len(rows))
        below = self.centre.backward(by_centre, is_first=False) + self.spread.backward(by_logs, is_first=False)
        self.encoder.backward(below, is_first=True)
        self.optimizer.step()
        self.sigma.clamp_(LEAST_SIGMA, MOST_SIGMA)

    def _off(self, made: Tensor, rows: Tensor) -> Tensor:
        """Slope by the made rows of minus their log likelihood; that by the spreads is written."""
        share, tanh = self.weight / len(rows), self.spans.tanh
        slope = torch.empty_like(made)
        for where in self.spans.softmax:
            slope[:, where] = torch.softmax(made[:, where], dim=1)
        slope.sub_(rows)
        if not len(tanh):
            return slope.mul_(share)
        sigma = self.sigma[tanh]
        near = torch.tanh(made[:, tanh])
        off = rows[:, tanh] - near
        slope[:, tanh] = off * (near * near - 1) / sigma**2
        by_sigma = torch.zeros_like(self.sigma)
        by_sigma[tanh] = share * (len(rows) / sigma - (off * off).sum(0) / sigma**3)
        self.sigma.grad = by_sigma
        return slope.mul_(share)
