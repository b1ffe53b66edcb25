"""From values to numbers; for each kind of data one module, and one for its release."""
