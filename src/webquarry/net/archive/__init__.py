"""Record exchanges to WARC files and replay them."""
