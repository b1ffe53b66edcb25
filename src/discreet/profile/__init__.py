"""What data reveal before anything is done to them, and a policy to begin with; a subpackage per kind of data."""
