"""Pages by URL with their evidence; search results read, scored and shared."""
