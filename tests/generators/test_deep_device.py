"""A step of the neural methods stays on the device it is made on: walked on torch's device that computes nothing.

No machine of ours has a CUDA device. ``meta`` holds shapes alone, and every operation here is watched: one that takes a
tensor of the device and one of the processor would fail on a CUDA device. So what a step forgets to send shows; what a
device computes does not.
"""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("ctgan", reason="PyTorch and the ctgan package are not installed: pip install 'riskkit[deep]'")

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from riskkit.core import Table
from riskkit.generators.engines import ctgan_training, diffusion, stack, tvae_training
from riskkit.generators.engines.deep import chance_from, to_frame
from tests.generators.test_deep import odd_tables
from tests.tables import mixed

pytestmark = pytest.mark.second
META = torch.device("meta")
PACKAGES = {ctgan_training: ctgan_training.CtganModel, tvae_training: tvae_training.TvaeModel}
TRAININGS = (*PACKAGES, diffusion)


TAKES_BOTH = {
    torch.ops.aten.copy_,
    torch.ops.aten._to_copy,
    torch.ops.aten.index,
    torch.ops.aten.index_put_,
    torch.ops.aten._index_put_impl_,
}
"""What sends from one device to the other, or looks rows up whose places the processor holds."""


class OneDevice(TorchDispatchMode):
    """Refuses operations on tensors of two devices; a number without a dimension may come from anywhere."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor) and leaf.dim()]
        devices = {tensor.device.type for tensor in tensors}
        if len(devices) > 1 and func.overloadpacket not in TAKES_BOTH:
            raise RuntimeError(f"{func} takes tensors of more than one device: {sorted(devices)}")
        return func(*args, **kwargs)


class Unmoved(torch.optim.Adam):
    """Looks where the gradients are, and moves nothing: the fused steps of Adam are not for this device."""

    def __init__(self, weights: Any, **how: Any) -> None:
        super().__init__(weights, **{name: value for name, value in how.items() if name != "fused"})

    def step(self, closure: Any = None) -> None:
        gradients = [weights.grad for group in self.param_groups for weights in group["params"]]
        assert {gradient.device for gradient in gradients if gradient is not None} == {META}


@pytest.fixture(autouse=True)
def _device_that_draws_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def filled(streams: Any, size: tuple[int, ...], _: object) -> torch.Tensor:
        return torch.empty(len(streams.streams), *size, device=streams.device)

    monkeypatch.setattr(stack.Streams, "_fill", filled)
    for kind in ("Adam", "AdamW"):
        monkeypatch.setattr(torch.optim, kind, Unmoved)
    monkeypatch.setattr(torch, "isfinite", lambda _: True)
    for training in TRAININGS:
        monkeypatch.setattr(training, "stream", lambda _: torch.Generator())


def on_device(training: Any) -> Any:
    """A model that takes a step or two there."""
    if training is diffusion:
        return training.Diffusion(training.DiffusionPlan(4, 50, 25, "linear", False), "meta")
    return PACKAGES[training](1, 50, "meta")


def walked(training: Any, table: Table, **how: bool) -> Any:
    """Two models after a step there."""
    starts = []
    for seed in range(2):
        model = on_device(training)
        with chance_from(np.random.default_rng(seed), model):
            starts.append(model.begin(*to_frame(table)))
    with OneDevice():
        training.learn(starts, **how)
    return starts[0].model


@pytest.mark.parametrize("what", ["mixed", *odd_tables()])
@pytest.mark.parametrize(
    ("training", "how"),
    [
        *((training, {"is_short": is_short}) for training in PACKAGES for is_short in (False, True)),
        (diffusion, {}),
    ],
    ids=["ctgan, 24 bits", "ctgan, 8 bits", "tvae, 24 bits", "tvae, 8 bits", "tabddpm"],
)
def test_a_training_stays_on_its_device(training: Any, how: dict[str, bool], what: str) -> None:
    model = walked(training, {"mixed": mixed(130), **odd_tables()}[what], **how)
    assert {weights.device for weights in model.network.parameters()} == {META}


@pytest.mark.parametrize("what", ["mixed", *odd_tables()])
def test_a_release_of_our_own_is_drawn_on_the_device(what: str) -> None:
    """Those of the package are its own affair."""
    model = walked(diffusion, {"mixed": mixed(130), **odd_tables()}[what])
    with torch.no_grad(), OneDevice():
        drawn = model.draw(20, stack.Streams([torch.Generator()], META))
    assert [(values.device, values.shape[:2]) for values in drawn] == [(META, (1, 20))] * 2


@pytest.mark.parametrize("training", TRAININGS, ids=["ctgan", "tvae", "tabddpm"])
def test_a_tensor_left_on_the_processor_is_seen(training: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: draws that are made where the rest is not."""

    def filled(streams: Any, size: tuple[int, ...], _: object) -> torch.Tensor:
        return torch.empty(len(streams.streams), *size)

    monkeypatch.setattr(stack.Streams, "_fill", filled)
    with pytest.raises(RuntimeError, match="more than one device"):
        walked(training, mixed(130))
