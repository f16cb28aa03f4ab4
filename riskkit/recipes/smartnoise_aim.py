"""AIM of SmartNoise, differentially private."""

TITLE = "AIM (smartnoise-synth 1.0.8)"
LICENCE = "MIT"
ABSENT = (
    "The package installs, but no release of it was seen: with 500 rows and at most 80 MB a model it had written "
    "none after 600 seconds on a busy processor. A recipe that nobody saw run does not come with riskkit."
)
