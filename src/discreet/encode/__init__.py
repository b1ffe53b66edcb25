"""From values to numbers; a module a kind of data, and one for its release."""
