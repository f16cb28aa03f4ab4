"""What can be inferred about a person from the release, beside what the population gives away?"""
