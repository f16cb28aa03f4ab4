"""Several secrets at once as a question."""
