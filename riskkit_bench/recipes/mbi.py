"""Private-PGM: what other packages build their private methods on."""

TITLE = "Marginal-based inference (mbi 2.0.0)"
LICENCE = "Apache-2.0"
ABSENT = (
    "The package estimates tables from noisy counts; what is measured, and with which noise, is left to its user, so "
    "it holds no method to audit. smartnoise-mst is built on it."
)
