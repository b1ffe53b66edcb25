"""The promises that discreet can keep, one a file; those about a kind of data are in the module of that kind."""
