"""one file for each kind of thing that a cell can show"""
