"""Checks of the installation, the configuration and the services."""
