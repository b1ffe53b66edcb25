"""The information losses, one a file; which go with a kind of data is in the module of that kind."""
