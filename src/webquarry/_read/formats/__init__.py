"""One file per format; dropping it here is the registration."""
