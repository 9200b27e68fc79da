"""A question -> patents: the services that know them, or web pages about them."""
