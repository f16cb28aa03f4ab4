"""how surely can whole households be told in or out? Anonymisers against attackers, as in the SNAKE challenge."""
