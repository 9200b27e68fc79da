"""what was written -> checked against what was read and what is registered"""
