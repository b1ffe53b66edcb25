"""From encoded data to how they shall be published: by a search, or by a recoding found before. One module a kind."""
