"""Explained models: what the explanation service predicts with; found by their folder."""
