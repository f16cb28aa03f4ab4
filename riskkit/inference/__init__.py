"""Inference models: from the known columns of a row to its secret; one file each."""
