"""The ways to a page beyond what its server sends: a browser, and Exa's copies."""
