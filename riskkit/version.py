"""The version of riskkit, said once; the package, its reports and the changelog read it here."""

VERSION = "0.1.0"
