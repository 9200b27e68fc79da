"""query -> results"""
