"""Compiled loops: arrays in, arrays out, nothing of discreet's imported; the only place with @njit (see cache)."""
