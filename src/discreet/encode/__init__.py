"""From values to numbers, one module per kind of data."""

from discreet.encode.table import EncodedTable, Partitions, column_codes

__all__ = ["EncodedTable", "Partitions", "column_codes"]
