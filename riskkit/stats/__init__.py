"""Scores in, estimates out. Nothing in here has ever seen a row."""
