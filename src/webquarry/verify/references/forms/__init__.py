"""a reference in any form -> its fields"""
