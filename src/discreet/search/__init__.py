"""The anonymization methods, one per file, one subpackage per kind of data; `methods` says what they can do."""
