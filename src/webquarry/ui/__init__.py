"""The page: what was asked, found, read, quoted and paid, for a person in a browser."""
