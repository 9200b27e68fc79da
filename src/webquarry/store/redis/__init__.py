"""What several servers share in Redis: the connection, encrypted values, leases, and every script.

The contracts (cache, journals, quota, breakers) stand in rooms of their own, on these.
"""
