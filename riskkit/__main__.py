"""``python -m riskkit``: the same audits without a browser."""

import sys

from riskkit.cli import main

sys.exit(main())
