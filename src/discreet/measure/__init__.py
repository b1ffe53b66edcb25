"""What a release is still good for, read back from its files: one measure a file, a subpackage a kind of data."""
