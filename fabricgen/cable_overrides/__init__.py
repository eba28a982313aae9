"""Single cables as they were built: moved within their devices, of another length, medium or part."""
