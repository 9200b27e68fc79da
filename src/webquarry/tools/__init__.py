"""One folder per tool set, one file per tool, named as the tool."""
