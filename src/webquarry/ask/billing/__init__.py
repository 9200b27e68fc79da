"""what a question costs: prices, limits that are reserved, the ledger"""
