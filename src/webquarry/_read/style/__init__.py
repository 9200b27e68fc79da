"""Hidden text: style sheets, the cascade, and which elements of a page cannot be seen."""
