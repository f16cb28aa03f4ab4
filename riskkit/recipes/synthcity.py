"""synthcity: Bayesian networks, TabDDPM, ADS-GAN and others in one package."""

TITLE = "synthcity 0.2.12"
LICENCE = "Apache-2.0"
ABSENT = "No set of pins is known that was seen to work; it wants torch below 2.3 and numpy below 2."
