"""Jobs that process web content, run in worker processes or threads."""
