"""SQL in, rows out: the functions of webquarry inside a DuckDB database, a session around it and a
shell.
"""
