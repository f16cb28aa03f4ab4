"""What do the published explanations of a model give away of its inputs?"""
