"""What the special readers share, and the parts of those that are more than one file."""
