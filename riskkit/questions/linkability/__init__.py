"""does the release tell which halves of records belong to one person?"""
