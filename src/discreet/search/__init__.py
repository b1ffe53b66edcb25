"""The anonymization methods, one a file, a subpackage a kind of data; what they say of themselves is in methods."""
