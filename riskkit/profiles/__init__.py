"""Profiles of a report: layouts of the same findings for one reader each, one file each."""
