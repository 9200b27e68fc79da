"""The SQL shell: typed lines -> results on stdout, and the bill on stderr."""
