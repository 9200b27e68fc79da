"""text of a CSS value -> numbers, matrices and colours"""
