"""Switch configurations, rendered as files."""
