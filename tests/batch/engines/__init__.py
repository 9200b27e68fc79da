"""each engine with the real library, by `make test-engines`"""
