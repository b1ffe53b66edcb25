"""What a search found, applied to data."""
