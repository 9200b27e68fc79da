"""The blocks of README and docs, run as a reader runs them."""
