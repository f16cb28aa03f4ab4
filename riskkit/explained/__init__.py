"""Explained models: what the explanation service predicts with; one file each."""
