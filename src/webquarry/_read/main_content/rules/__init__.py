"""What the chances of single blocks leave out of a text, put back: kept blocks in, more out."""
