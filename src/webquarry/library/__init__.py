"""The library: pages that were read come in, those that a question asks for come out, offline."""
