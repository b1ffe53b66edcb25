"""The information losses, one per file; the module of each kind of data says which go with it."""
