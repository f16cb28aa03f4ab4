"""The pages: that of a question, with its hooks, and those about the audit as a whole."""
