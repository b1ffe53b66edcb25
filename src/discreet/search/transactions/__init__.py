"""Methods for transactions, one per file."""
