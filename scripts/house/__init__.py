"""What can be counted of the package's shape: its functions, its imports, the way of a call."""
