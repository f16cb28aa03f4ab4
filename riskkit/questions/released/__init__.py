"""Can people who were in be told from others by the released file alone?"""
