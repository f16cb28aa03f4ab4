"""Inverters: from published explanations back to the inputs they explain; found by their folder."""
