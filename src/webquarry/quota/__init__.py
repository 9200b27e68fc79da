"""How much who may ask for: so many in a time, so many at once."""
