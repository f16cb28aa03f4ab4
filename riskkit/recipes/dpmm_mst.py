"""MST of dpmm, differentially private."""

TITLE = "MST (dpmm 0.1.9)"
LICENCE = "Apache-2.0"
ABSENT = (
    "The package installs with Python below 3.12, but no release of it was seen: with 500 rows it had written none "
    "after 400 seconds on a busy processor. A recipe that nobody saw run does not come with riskkit."
)
