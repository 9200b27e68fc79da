"""Which tools are asked what they are, and what is kept of their answers."""
