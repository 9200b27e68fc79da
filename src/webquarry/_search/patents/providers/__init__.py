"""One file per patent service; dropping it in is the registration."""
