"""What the methods say of themselves, a module a kind of data; their code is in search, and loads when it runs."""
