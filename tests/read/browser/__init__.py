"""Tests of the browser that runs the scripts of pages."""
