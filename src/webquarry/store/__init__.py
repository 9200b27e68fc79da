"""The ground below cache, records and quota: SQLite files, encryption, the connection to Redis."""
