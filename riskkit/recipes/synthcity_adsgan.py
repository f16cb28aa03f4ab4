"""ADS-GAN of synthcity."""

TITLE = "ADS-GAN (synthcity 0.2.12)"
LICENCE = "Apache-2.0"
ABSENT = (
    "It loads in the environment of synthcity-bayesnet, but no training of it was seen to its "
    "end yet. A recipe that nobody saw run does not come with riskkit."
)
