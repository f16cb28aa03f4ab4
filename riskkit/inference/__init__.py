"""Inference models: from the known columns of a row to its secret; found by their folder."""
