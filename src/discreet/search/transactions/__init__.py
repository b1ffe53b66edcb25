"""Methods for transactions, one a file."""
