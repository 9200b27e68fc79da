"""What the APIs of models have in common: request, turn, failure, and a vendor's contract."""
