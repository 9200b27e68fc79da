"""The web UI: routes, access checks and `webquarry ui`."""
