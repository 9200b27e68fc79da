"""the function from an Arrow batch to an Arrow batch, and its forms for engines"""
