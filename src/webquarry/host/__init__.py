"""Tools of the user: discovery, validation, running, and the forms of vendors."""
