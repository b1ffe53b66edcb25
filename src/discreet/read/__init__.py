"""Files and data in memory, as they are; a module a kind of data."""
