"""a source -> what kind it is, and how far it can be relied on"""
