"""What a release is still good for, read back from its files: a file per measure, a subpackage per kind of data."""
