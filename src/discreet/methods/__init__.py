"""What the methods say about themselves, one module per kind of data; their code is in search and loads when run."""
