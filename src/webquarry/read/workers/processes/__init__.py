"""How a worker process comes to be: as an interpreter of its own, or as a copy of one that has
loaded everything.
"""
