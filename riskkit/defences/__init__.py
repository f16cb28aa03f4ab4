"""Defences: what a service may do to explanations before it publishes them; found by their folder."""
