"""Rules that go by what a block says: one adds questions, one takes out what is left over."""
