"""Evidence packs: what a session's sources said, in a file that others can read and anybody can
check again.
"""
