"""Methods that guess membership, one file each. The folder is the list."""
