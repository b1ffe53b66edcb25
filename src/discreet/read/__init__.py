"""Files and data in memory, as they are; one module per kind of data."""
