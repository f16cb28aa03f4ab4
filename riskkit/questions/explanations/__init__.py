"""what explanations of a model's answers reveal"""
