"""The settings, one file a group: fields with their limits, defaults and descriptions."""
