"""Rules that choose the attacked records, one file each. The folder is the list."""
