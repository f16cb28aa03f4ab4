"""attacks on the released file alone; no generator needed"""
