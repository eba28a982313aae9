"""What parts are needed for: one file a source, each found by being here."""
