"""Rules for short facts: what stands under the title, rows of values, lists of terms."""
