"""What a person is shown of research: sessions, sources, texts with their quotes, the bill."""
