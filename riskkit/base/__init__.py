"""What every room stands on: compiled loops, threads, distributions, places of files, what a process does to itself.

None of these modules knows of tables, attacks or questions.
"""
