"""Scores in, estimates out. Nothing in here has ever seen a row."""

from __future__ import annotations

from riskkit.stats.summary import accuracy, advantage, auc, is_degenerate, tpr_at_fpr

__all__ = ["accuracy", "advantage", "auc", "is_degenerate", "tpr_at_fpr"]
