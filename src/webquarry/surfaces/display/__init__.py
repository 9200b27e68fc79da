"""How text gets onto a terminal: wrapped, linked, paged, and with a word on what is being done."""
