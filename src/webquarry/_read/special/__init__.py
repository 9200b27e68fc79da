"""One file per site that is read in a way of its own; dropping it here is the registration."""
