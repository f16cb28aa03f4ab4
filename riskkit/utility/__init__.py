"""Measures of usefulness: how much of the real rows a release keeps; one file each."""
