import pytest

# Before a test imports it: what its checks compared is shown where they fail.
pytest.register_assert_rewrite("tests.contracts.rooms")
