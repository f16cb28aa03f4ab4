"""which combinations of known columns are rare, in the table and in its population?"""
