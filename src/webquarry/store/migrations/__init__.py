"""The shape of the record file, step by step: NNN_name.sql, each run once, in order, never changed
after a release.
"""
