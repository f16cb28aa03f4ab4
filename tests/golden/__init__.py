"""The bytes that riskkit makes, by hashes that are kept: of results, reports, typed files, help and names.

``manifest.json`` holds them. Where bytes move on purpose, ``python -m tests.golden`` writes it anew and prints what
moved; the commit says why.
"""
