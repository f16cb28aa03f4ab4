"""Which way of making a release protects best at the same usefulness? Anonymisers against attackers."""
