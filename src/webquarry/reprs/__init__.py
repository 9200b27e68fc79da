"""what a notebook shows of the things that the library gives"""
