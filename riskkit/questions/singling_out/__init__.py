"""are people who were in alone by a few columns, and does the release say so?"""
