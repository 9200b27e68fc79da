"""one file for each index that is asked about references"""
