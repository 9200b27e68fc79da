"""Rules for short facts: under a title, in rows, in lists of terms, in tables of one column."""
