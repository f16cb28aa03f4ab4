"""The explanation service: rows as features, Shapley values of a model's answers, and what it publishes of them."""
