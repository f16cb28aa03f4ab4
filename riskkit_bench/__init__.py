"""The open table of leaks: a stored plan of tables, methods and attacks, played cell by cell, and a page made of it."""
