"""Compiled loops: arrays in, arrays out, nothing else of discreet imported; the only place with @njit (see cache)."""
