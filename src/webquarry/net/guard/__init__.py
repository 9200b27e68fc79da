"""a URL or an address -> whether it may be reached"""
