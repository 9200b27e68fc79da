"""The command `session`: research sessions of this machine."""
