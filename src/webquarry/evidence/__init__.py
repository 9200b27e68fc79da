"""pages and results -> what can be trusted and quoted"""
