"""Pages that are kept beyond the cache: for the library, and to be asked for again."""
