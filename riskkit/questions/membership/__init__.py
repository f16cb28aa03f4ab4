"""Can an attacker who has the rest of the table tell that a person was in? Trains the method again and again."""
