"""what HTTP says: bodies, encodings, redirects, status codes, retries, failures"""
