"""The models' vendors, one file each; a file dropped in here is one more."""
