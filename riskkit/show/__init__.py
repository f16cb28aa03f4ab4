"""What a question shows, before it is drawn: the shapes and shared words that page, report and files have in common."""
