"""Defences: what a service may do to explanations before it publishes them; one file each."""
