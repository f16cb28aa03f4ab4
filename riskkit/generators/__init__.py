"""Methods that make synthetic tables, one file each. The folder is the list."""
