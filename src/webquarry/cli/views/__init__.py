"""What a tool answered -> what a person sees of it."""
