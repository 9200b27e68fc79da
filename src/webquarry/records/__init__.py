"""What must not be lost: research sessions, paid answers, the ledger. The cache may forget; this
may not.
"""
