"""a field of a reference and the same field of a record -> whether they agree"""
