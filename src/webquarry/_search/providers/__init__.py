"""One file per search provider; dropping it here is the registration."""
