"""how much of several secret columns of a person can be put together at once from a release?"""
