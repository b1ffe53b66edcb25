"""What the steward reads: one JSON document, made into pages and lines; a subpackage a kind of data."""
