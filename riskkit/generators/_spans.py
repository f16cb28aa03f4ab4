"""An encoded row of the ctgan package: which of its places hold a number, which one level of so many."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from riskkit.generators._stack import Streams

TEMPERATURE = 0.2
"""What CTGAN divides by before a softmax of made levels: the smaller, the nearer to one of them."""
TRIES = 10
"""Draws of made levels after which a softmax that is no number is given up."""


def laid_out(columns: Any) -> tuple[tuple[tuple[str, int], ...], ...]:
    """How wide each part of an encoded row is, and what it holds; encodings that agree in it have the same networks."""
    return tuple(tuple((span.activation_fn, span.dim) for span in column) for column in columns)


class Spans:
    """Where the columns lie in an encoded row, and what makes of a network's output such a row."""

    def __init__(self, columns: Any, device: Any) -> None:
        self.softmax: list[slice] = []
        self.discrete: list[slice] = []
        tanh: list[int] = []
        place = 0
        for column in columns:
            for span in column:
                if span.activation_fn == "tanh":
                    tanh.extend(range(place, place + span.dim))
                else:
                    self.softmax.append(slice(place, place + span.dim))
                    if len(column) == 1:
                        self.discrete.append(self.softmax[-1])
                place += span.dim
        self.width = place
        self.tanh = torch.tensor(tanh, dtype=torch.long, device=device)
        self.member = torch.zeros(place, len(self.softmax), device=device)
        for number, where in enumerate(self.softmax):
            self.member[where, number] = 1
        levels = [np.arange(where.start, where.stop) for where in self.discrete]
        self.levels = torch.from_numpy(np.concatenate([*levels, np.zeros(0, dtype=np.int64)]).astype(np.int64)).to(
            device
        )
        sizes = [len(those) for those in levels]
        self.others = torch.ones(len(sizes), sum(sizes), dtype=torch.bool, device=device)
        for number, end in enumerate(np.cumsum(sizes)):
            self.others[number, end - sizes[number] : end] = False
        """(columns, levels) which levels belong to another column."""

    def activate(self, made: Tensor, chance: Streams) -> Tensor:
        """Draw a level of each column, softly (Gumbel); numbers go through the hyperbolic tangent.

        ``made`` is (models, rows, width). On a processor the draws are those of the package, column by column; on a
        device each model draws all of them at once.
        """
        rows = made.shape[1]
        if made.is_cuda:
            noise = chance.exponential(rows, self.width)
        else:
            noise = torch.ones_like(made)
            for where in self.softmax:
                noise[..., where] = chance.exponential(rows, where.stop - where.start)
        noise.log_().neg_().add_(made).div_(TEMPERATURE)
        result = torch.empty_like(made)
        for where in self.softmax:
            result[..., where] = torch.softmax(noise[..., where], dim=-1)
        result[..., self.tanh] = torch.tanh(made[..., self.tanh])
        return result if torch.isfinite(result.sum()) else self._again(made, result, chance)

    def _again(self, made: Tensor, result: Tensor, chance: Streams) -> Tensor:
        """Draw anew what is no number; only of the models and columns where it is none."""
        for outputs, values, stream in zip(made, result, chance.streams, strict=True):
            for where in self.softmax:
                for _ in range(TRIES):
                    if torch.isfinite(values[:, where]).all():
                        break
                    drawn = torch.empty_like(values[:, where], memory_format=torch.contiguous_format)
                    drawn.exponential_(generator=stream).log_().neg_().add_(outputs[:, where]).div_(TEMPERATURE)
                    values[:, where] = torch.softmax(drawn, dim=-1)
                else:
                    raise ValueError("training came to values that are no numbers")
        return result

    def back(self, result: Tensor, slope: Tensor) -> Tensor:
        """Slope by the network's output, of the slope by what :meth:`activate` made of it."""
        inner = slope * result
        sums = (inner @ self.member) @ self.member.T
        back = torch.addcmul(inner, result, sums, value=-1).div_(TEMPERATURE)
        tanh = result[..., self.tanh]
        back[..., self.tanh] = slope[..., self.tanh] * (1 - tanh * tanh)
        return back

    def asked_for(self, made: Tensor, asked: Tensor, column: Tensor) -> tuple[Tensor, Tensor]:
        """Where the asked levels lie, and the slope there of the cross entropy of each row's asked level."""
        shares = made[..., self.levels].masked_fill_(self.others[column], -torch.inf).softmax(dim=-1)
        return self.levels, shares.sub_(asked).div_(made.shape[-2])
