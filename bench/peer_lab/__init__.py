"""What `bench/peers.py` stands on: a small web on loopback, and servers that are asked over MCP."""
