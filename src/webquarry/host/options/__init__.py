"""What one tool gets of its own: variables, time and output, by a file beside it or by a
setting.
"""
