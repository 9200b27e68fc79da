"""Data for people: the views of research, and the page that shows them."""
