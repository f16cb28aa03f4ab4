"""What a steward can change in a release that is there already: its order, its columns, the grain of their values."""
