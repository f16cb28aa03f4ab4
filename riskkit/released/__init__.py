"""Attacks on the released file alone, one file each: they read points, know no generator and have no own cut."""
