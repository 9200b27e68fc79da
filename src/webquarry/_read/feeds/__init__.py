"""RSS, Atom and JSON Feed."""
