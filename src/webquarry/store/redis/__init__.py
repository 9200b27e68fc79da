"""The connection to Redis that several servers share."""
