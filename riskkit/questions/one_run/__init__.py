"""what does one single training show? Puts rows in or out by coins, trains the method once, and guesses the coins."""
