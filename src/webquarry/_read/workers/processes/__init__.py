"""Ways to start a worker process: forked from a warm process, or as a new interpreter."""
