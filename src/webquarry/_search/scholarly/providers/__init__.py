"""One file per scholarly index; dropping it here is the registration."""
