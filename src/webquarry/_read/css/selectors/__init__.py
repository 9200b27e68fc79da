"""CSS selectors -> which elements of a page they mean."""
