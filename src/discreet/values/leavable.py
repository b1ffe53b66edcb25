"""What a publication can do without: it is for the steward, takes time, and changes nothing in the release."""

LEAVABLE = ("attack", "measures", "charts")
