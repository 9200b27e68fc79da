"""What must not leave is found in what is about to."""
