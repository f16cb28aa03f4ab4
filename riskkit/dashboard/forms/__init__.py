"""Forms: the fields of plans and plug-ins, what to expect before a run, and the form of each question."""
