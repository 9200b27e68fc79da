"""Processes that read pages: jobs go in, bytes or an error of ours come out."""
