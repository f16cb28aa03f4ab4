"""Inverters: from published explanations back to the inputs they explain; one file each."""
