"""Files to columns of text: what a file is, how it is written, and every repair said."""
