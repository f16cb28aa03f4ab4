"""Gradients written by hand beside torch's autograd: seconds of a training of CTGAN, TVAE and TabDDPM.

``python benchmarks/autograd.py [rows ...]`` trains each method at its default settings on the first rows of Adult (15
columns; 1,000 and 10,000 unless said), on one thread. Both trainers are the same stacked networks, draws and optimizer
and begin with the same weights; they differ in how gradients come about. They take turns, a few steps each, so that a
machine that others use slows down both. Printed are the median milliseconds of a step of either, the median of the
ratio of paired turns with its quartiles, the seconds of a whole training (encoding, then all steps), and by how much
the weights of both differ after the first turn, as a share of how far they have moved. Needs the shared data folder.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
from torch import Tensor
from torch.nn import functional

from riskkit.base.threads import single_thread
from riskkit.generators.ctgan import Ctgan
from riskkit.generators.engines import ctgan_training, diffusion, tvae_training
from riskkit.generators.engines.deep import chance_from, to_frame
from riskkit.generators.engines.stack import TEMPERATURE, Linear, Norm, Spans, Streams, Tower
from riskkit.generators.tabddpm import TabDdpm
from riskkit.generators.tvae import Tvae
from tests.tables import adult

TURNS, STEPS = 15, 4
"""Pairs of turns, and steps a turn."""


def linear(layer: Linear, values: Tensor) -> Tensor:
    """A linear layer of every model."""
    return torch.baddbmm(layer.bias[:, None], values, layer.weight.mT)


def tower(layers: Tower, values: Tensor) -> Tensor:
    """Linear layers with their negative sums cut off."""
    for layer, is_cut in zip(layers.layers, layers.cut, strict=True):
        values = linear(layer, values)
        values = values.relu() if is_cut else values
    return values


def normalised(norm: Norm, sums: Tensor) -> Tensor:
    """A batch normalisation of every model."""
    models, rows, units = sums.shape
    flat = sums.transpose(0, 1).reshape(rows, -1)
    scale, move = norm.weight.reshape(-1), norm.bias.reshape(-1)
    made = functional.batch_norm(flat, norm.means, norm.variances, scale, move, True, norm.momentum, norm.eps)
    return made.view(rows, models, units).transpose(0, 1)


def activated(spans: Spans, made: Tensor, chance: Streams) -> Tensor:
    """Made levels, drawn softly, and numbers; the draws are those of :meth:`Spans.activate`."""
    parts = []
    for where in spans.softmax:
        waits = chance.exponential(made.shape[1], where.stop - where.start).log()
        parts.append(torch.softmax((made[..., where] - waits) / TEMPERATURE, dim=-1))
    parts.append(made[..., spans.tanh].tanh())
    places = [torch.arange(where.start, where.stop) for where in spans.softmax]
    return torch.cat(parts, dim=-1)[..., torch.cat([*places, spans.tanh]).argsort()]


def give(loss: Tensor, weights: Sequence[Tensor]) -> None:
    """The gradient of the loss to every weight."""
    for weight, gradient in zip(weights, torch.autograd.grad(loss, weights), strict=True):
        weight.grad = gradient.contiguous()  # a fused optimizer reads it as it reads the weight


class AutogradCtgan(ctgan_training.Training):
    """CTGAN's step with autograd."""

    def _verdict(self, rows: Tensor, kept: Sequence[Tensor]) -> Tensor:
        critic = self.critic
        for layer, some in zip((critic.first, critic.second), kept, strict=True):
            rows = functional.leaky_relu(linear(layer, rows), ctgan_training.SLOPE) * some
        return linear(critic.last, rows)

    def _weights(self, network: Any) -> list[Tensor]:
        return [weights for stack in network.stacks for weights in stack.parameters()]

    @torch.enable_grad()
    def _criticise(self) -> None:
        critic, n = self.critic, self.critic.packs
        drawn = [critic._draw(), critic._draw()]
        share = critic.chance.uniform(n, 1)
        drawn.append(critic._draw())
        made, real = critic.views[:, :n].clone(), critic.views[:, n : 2 * n].clone()
        mixed = (share * real + (1 - share) * made).requires_grad_()
        loss = (self._verdict(made, drawn[0]).sum() - self._verdict(real, drawn[1]).sum()) / n
        (inner,) = torch.autograd.grad(self._verdict(mixed, drawn[2]).sum(), mixed, create_graph=True)
        penalty = ((inner.norm(2, dim=-1) - 1) ** 2).sum() * (ctgan_training.PENALTY / n)
        give(loss + penalty, self._weights(critic))

    def _teach_critic(self) -> None:
        self.critic.backward = self._criticise  # type: ignore[method-assign]
        super()._teach_critic()

    def _output(self) -> Tensor:
        maker = self.maker
        values = maker.inputs_view.clone()
        for layer, norm in zip(maker.layers, maker.norms, strict=True):
            values = torch.cat([normalised(norm, linear(layer, values)).relu(), values], dim=-1)
        return linear(maker.last, values)

    @torch.enable_grad()
    def _teach_maker(self) -> None:
        asked = self._ask()
        output = self._output()
        made = activated(self.spans, output, self.chance)
        rows = made if asked is None else torch.cat([made, asked[0]], dim=-1)
        packed = rows.reshape(len(rows), self.critic.packs, -1)
        loss = -self._verdict(packed, self.critic._draw()).sum() / self.critic.packs
        if asked is not None:
            level, others = asked[0].argmax(-1, keepdim=True), self.spans.others[self._send(asked[1])]
            logits = output[..., self.spans.levels].masked_fill(others, -torch.inf)
            loss = loss - logits.log_softmax(-1).gather(-1, level).sum() / self.batch
        give(loss, self._weights(self.maker))
        self.optimizers[1].step()


class AutogradTvae(tvae_training.Training):
    """TVAE's step with autograd."""

    @torch.enable_grad()
    def step(self, rows: Tensor) -> None:
        """One batch of each."""
        batch = rows.shape[1]
        feature = tower(self.encoder, rows)
        centre, logs = tower(self.centre, feature), tower(self.spread, feature)
        spread = torch.exp(0.5 * logs)
        made = tower(self.decoder, self.chance.normal(*spread.shape[1:]) * spread + centre)
        loss = torch.zeros(())
        for where in self.spans.softmax:
            loss = loss - (rows[..., where] * made[..., where].log_softmax(-1)).sum()
        if len(tanh := self.spans.tanh):
            sigma = self.sigma[:, tanh][:, None]
            off = rows[..., tanh] - made[..., tanh].tanh()
            loss = loss + (off**2 / (2 * sigma**2)).sum() + batch * sigma.log().sum()
        divergence = -0.5 * (1 + logs - centre**2 - logs.exp()).sum()
        towers = self.encoder, self.centre, self.spread, self.decoder
        weights = [values for own in towers for layer in own.layers for values in layer.parameters()]
        give((self.weight * loss + divergence) / batch, [*weights, self.sigma])
        self.optimizer.step()
        with torch.no_grad():
            self.sigma.clamp_(tvae_training.LEAST_SIGMA, tvae_training.MOST_SIGMA)


class AutogradTabddpm(diffusion.Denoising):
    """TabDDPM's step with autograd."""

    def _law(self, shares: Tensor, codes: Tensor, reached: Tensor) -> Tensor:
        levels = self.stack.levels
        before, noise = self.noise.before[reached][..., None], self.noise.noise[reached][..., None]
        came = levels.onehot(codes) * (1 - noise) + noise * levels.even
        law = (before * shares + (1 - before) * levels.even) * came
        return law / levels.sums(law)

    @torch.enable_grad()
    def learn(self, numbers: Tensor, codes: Tensor, reached: Tensor, normal: Tensor, noisy: Tensor) -> None:
        """The gradient of the loss to every weight."""
        rows, stack, levels = numbers.shape[1], self.stack, self.stack.levels
        seen = torch.cat([self.noise.on_numbers(numbers, reached, normal), levels.view(noisy)], -1)
        bent = functional.silu(linear(stack.step[0], self.waves[reached]))
        made = tower(stack.tower, linear(stack.enter, seen) + linear(stack.step[1], bent))
        guessed, logits = made[..., : numbers.shape[-1]], made[..., numbers.shape[-1] :]
        shares = torch.cat([logits[..., span].softmax(-1) for span in levels.spans], -1)
        true, law = self._law(levels.onehot(codes), noisy, reached), self._law(shares, noisy, reached)
        divergence = (torch.xlogy(true, true) - true * law.clamp_min(torch.finfo(law.dtype).tiny).log()).sum()
        loss = ((guessed - normal) ** 2).sum() / (rows * max(1, numbers.shape[-1]))
        loss = loss + divergence * (self.noise.steps / (rows * max(1, codes.shape[-1])))
        give(loss, [values for layer in stack.layers for values in layer.parameters()])


Turn = Callable[[], None]


def of_ctgan(rows: int) -> tuple[Any, int, Callable[[Any, type[Any]], tuple[Any, Turn]], Sequence[type[Any]]]:
    """A model at default settings, its steps, how a trainer takes a step, and both trainers."""
    method = Ctgan()
    rounds = method.rounds(rows)
    model = ctgan_training.CtganModel(rounds, method.batch_size, "cpu")
    steps = rounds * max(rows // method.batch_size, 1)

    def trainer(begun: Any, kind: type[Any]) -> tuple[Any, Turn]:
        training = kind([begun])
        return training, training.step

    return model, steps, trainer, (ctgan_training.Training, AutogradCtgan)


def of_tvae(rows: int) -> tuple[Any, int, Callable[[Any, type[Any]], tuple[Any, Turn]], Sequence[type[Any]]]:
    """The same of TVAE."""
    method = Tvae()
    batch = method.batch(rows)
    model = tvae_training.TvaeModel(method.epochs, batch, "cpu")

    def trainer(begun: Any, kind: type[Any]) -> tuple[Any, Turn]:
        training = kind([begun])
        return training, lambda: training.step(begun.rows[begun.order()[:batch]][None])

    return model, method.epochs * -(-rows // batch), trainer, (tvae_training.Training, AutogradTvae)


def of_tabddpm(rows: int) -> tuple[Any, int, Callable[[Any, type[Any]], tuple[Any, Turn]], Sequence[type[Any]]]:
    """The same of TabDDPM."""
    method = TabDdpm()
    chosen = diffusion.DiffusionPlan(
        method.training_steps, method.batch_size, method.noise_steps, method.schedule, method.levels == "logarithms"
    )
    batch = min(method.batch_size, rows)

    def trainer(begun: Any, kind: type[Any]) -> tuple[Any, Turn]:
        training = kind([begun])

        def step() -> None:
            now = training.order(rows)[0, :batch]
            training.step(begun.numbers[now][None], begun.codes[now][None], diffusion.RATE)

        return training, step

    return diffusion.Diffusion(chosen, "cpu"), method.training_steps, trainer, (diffusion.Denoising, AutogradTabddpm)


def weights_of(training: Any) -> list[Tensor]:
    """All that a trainer moves, as it stands."""
    optimizers = getattr(training, "optimizers", None) or [training.optimizer]
    return [weight.detach().clone() for each in optimizers for group in each.param_groups for weight in group["params"]]


def measure(name: str, made: Any, rows: int) -> None:
    """Print one line of a method."""
    model, steps, trainer, kinds = made
    frame, discrete = to_frame(adult(rows))
    begun = []
    for _ in kinds:
        begin = time.perf_counter()
        with chance_from(np.random.default_rng(1), model):
            begun.append(model.begin(frame, discrete))
        encoded = time.perf_counter() - begin
    trainers = [trainer(own, kind) for own, kind in zip(begun, kinds, strict=True)]
    first = weights_of(trainers[0][0])
    spent = np.empty((TURNS, 2))
    for turn in range(TURNS):
        for place in (0, 1) if turn % 2 else (1, 0):
            start = time.perf_counter()
            for _ in range(STEPS):
                trainers[place][1]()
            spent[turn, place] = (time.perf_counter() - start) / STEPS
        if not turn:
            by_hand, by_autograd = (weights_of(training) for training, _ in trainers)
            apart = sum(float((a - b).abs().sum()) for a, b in zip(by_hand, by_autograd, strict=True))
            off = apart / sum(float((a - b).abs().sum()) for a, b in zip(by_hand, first, strict=True))
    low, middle, high = np.quantile(spent[1:, 1] / spent[1:, 0], (0.25, 0.5, 0.75))
    step = np.median(spent[1:], axis=0)
    whole = encoded + steps * step
    print(
        f"{name}, {rows:,} rows: a step {1000 * step[0]:.1f} ms by hand, {1000 * step[1]:.1f} ms by autograd, "
        f"{middle:.2f} x [{low:.2f}, {high:.2f}]; a training of {steps:,} steps {whole[0]:.1f} s and {whole[1]:.1f} s, "
        f"{(encoded + steps * step[0] * middle) / whole[0]:.2f} x; weights differ by {off:.1e} of their way",
        flush=True,
    )


def main() -> None:
    """All methods, table by table."""
    torch.set_num_threads(1)
    with single_thread(), torch.no_grad():
        for rows in map(int, sys.argv[1:] or ("1000", "10000")):
            for name, method in (("ctgan", of_ctgan), ("tvae", of_tvae), ("tabddpm", of_tabddpm)):
                measure(name, method(rows), rows)


if __name__ == "__main__":
    main()
