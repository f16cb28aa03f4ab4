"""what the release lets a stranger infer about a person"""
