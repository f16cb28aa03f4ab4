"""What every test of the bench shares: forests that are small, where no test is about what they tell."""

from collections.abc import Iterator

import pytest

from riskkit_bench import usefulness


@pytest.fixture(autouse=True)
def _small_forests(request: pytest.FixtureRequest) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        if request.node.path.name != "test_usefulness.py":
            patch.setattr(usefulness, "GROWN", 2)
        yield
