"""Site readers: pages of well-known sites read through their APIs, and articles of wikis."""
