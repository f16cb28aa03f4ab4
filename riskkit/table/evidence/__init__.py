"""What the files say of each other: copies, other people, columns and values that do not meet."""
