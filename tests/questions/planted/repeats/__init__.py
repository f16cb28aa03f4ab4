"""how often a row of the release stands in the real table, beside people who were not in"""
