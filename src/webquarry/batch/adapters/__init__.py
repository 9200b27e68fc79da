"""one file for each engine: its own form of the one function"""
