"""riskkit: whom does this synthetic table expose, how, and how sure are we?"""

__version__ = "0.1.0"
