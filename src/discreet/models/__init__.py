"""The promises that discreet can keep, one per file; the module of each kind of data lists those about it."""
