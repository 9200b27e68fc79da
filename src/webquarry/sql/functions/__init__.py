"""The functions that SQL gets: what each takes, gives and costs."""
