"""The version of riskkit, said once."""

__version__ = "0.1.0"
