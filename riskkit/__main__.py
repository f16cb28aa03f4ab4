"""``python -m riskkit``: the same audits without a browser."""

import sys

from riskkit.gate import main

sys.exit(main())
