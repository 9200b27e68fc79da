"""The three executables: `web_search_brave`, `web_search_google`, `web_fetch`."""
