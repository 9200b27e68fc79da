"""Which project folders may be run: what the user trusted, and a private copy of just that."""
