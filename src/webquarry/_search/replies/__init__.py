"""what a service replied -> plain text, dates and identifiers, or the error it means"""
