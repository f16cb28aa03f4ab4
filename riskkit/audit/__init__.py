"""An audit: what to run and what it will cost (plan), doing it (run), keeping it (store)."""
