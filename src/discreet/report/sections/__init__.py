"""The sections of the steward's page, one module each, in the order of the page."""
