"""The only room that opens sockets."""
