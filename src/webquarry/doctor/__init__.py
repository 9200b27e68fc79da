"""Whether this machine is set up: each part is examined, and asked if it can be."""
