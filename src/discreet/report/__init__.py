"""What the steward reads: one JSON document, made into pages and lines; a subpackage per kind of data."""
