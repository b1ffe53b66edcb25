"""What tests of the steward's page share: a full result document, and a reader of the page's structure."""
