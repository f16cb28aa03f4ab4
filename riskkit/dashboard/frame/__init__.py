"""What stands around and on every page: the open audit, the side bar, runs, verdicts, limits and results."""
