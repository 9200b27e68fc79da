"""a page -> what it says of itself: title, people, dates, structured data"""
