"""Research sessions: steps, and the sources that were found on the way."""
