"""ADS-GAN of synthcity."""

TITLE = "ADS-GAN (synthcity 0.2.12)"
LICENCE = "Apache-2.0"
ABSENT = (
    "It loads in the environment of synthcity-bayesnet, but no release of it was seen yet: there was no time for a "
    "training. A recipe that nobody saw run does not come with riskkit."
)
