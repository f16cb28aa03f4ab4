"""AIM of SmartNoise, differentially private."""

TITLE = "AIM (smartnoise-synth 1.0.8)"
LICENCE = "MIT"
ABSENT = (
    "By its own setting, 16 rounds a column, it had written no release of 500 rows after 600 seconds on a busy "
    "processor. With 2 rounds a column a training takes 42 seconds of a processor, but 22 trainings and a game of it "
    "were not seen to their end yet, and a recipe that nobody saw checked does not come with riskkit."
)
