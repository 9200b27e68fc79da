"""executables -> tools"""
