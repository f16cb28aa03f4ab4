"""Whose row a row is: persons, households, and a second table of the same people."""
