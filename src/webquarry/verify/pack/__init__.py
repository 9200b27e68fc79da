"""Evidence packs: the sources of a session in a file that anyone can check again."""
