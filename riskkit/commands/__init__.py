"""The larger commands of :mod:`riskkit.cli`, a file each: their options, what they run, and how they print it."""
