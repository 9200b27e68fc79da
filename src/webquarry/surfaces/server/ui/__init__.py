"""The page in a server: who may ask for it, and how it is guarded."""
