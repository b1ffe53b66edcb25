"""Exhaustive oracles, written from the definitions alone: nothing here imports discreet."""
