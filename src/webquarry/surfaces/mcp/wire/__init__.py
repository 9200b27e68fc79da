"""Messages on the wire: lines of stdin and stdout, batches."""
