"""The front of a server over HTTP: the requests that are asked most, in one pass."""
