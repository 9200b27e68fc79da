"""The front of a server on stdio: answers what it has prepared, and calls tools without the SDK."""
