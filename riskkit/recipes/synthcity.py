"""synthcity: Bayesian networks, TabDDPM, ADS-GAN and others in one package."""

TITLE = "synthcity 0.2.12"
LICENCE = "Apache-2.0"
ABSENT = (
    "It wants torch below 2.3; its packages were not there after ten minutes of pip, and no release of it was seen."
)
