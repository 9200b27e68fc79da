"""What the style sheets of a page say: its selectors, variables and rules, matched."""
