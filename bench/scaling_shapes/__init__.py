"""Generated input of any size, and the step of the package that is given it: `scaling.py` measures
how the time grows. Every module has a list `SHAPES`.
"""
