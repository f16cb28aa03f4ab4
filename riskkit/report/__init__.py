"""The verdict on a whole audit and the report of it: one findings object, from which every output has its numbers."""
