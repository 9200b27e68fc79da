"""tests of webquarry.batch, and of its forms for engines"""
