# No types are told; the module is compiled as it stands.
