"""The only package that connects to the web.

client       a call: check each hop (guard, robots), build the request, follow redirects -> Reply
sender       a request: rate limit of the host (pacing), response (body, failures), retries
transport    a connection: proxy, TLS, pool of httpcore2, recorder or replay (archive) in its place
connect      an address: resolve once, check every address with the guard, connect

Data flows down as arguments and up as return values; `models.Reply` is what callers see.
"""
