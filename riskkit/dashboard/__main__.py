"""``python -m riskkit.dashboard``: the dashboard, loaded without a look for garbage, and any option of its server."""

from __future__ import annotations

from riskkit.base import process

if __name__ == "__main__":
    process.begin_loading()
    from riskkit.dashboard.serve import main

    main()
