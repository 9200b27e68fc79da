"""The doors: each a loop over the registry that translates and adds nothing."""
