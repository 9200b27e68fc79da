"""The log of calls: which tool was called, by whom, with what, and what came of it."""
