"""tree -> the part of it a reader came for"""
