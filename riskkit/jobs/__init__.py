"""Keeping audits and playing their runs: store, queue, leases, ledger, workers, engines. Knows no question by name."""
