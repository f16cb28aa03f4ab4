"""The bench: a stored plan, its cells, the orders that must hold in them, and the page."""
