"""a URL -> a kept page with its evidence; results -> pages read, scored and shared out"""
