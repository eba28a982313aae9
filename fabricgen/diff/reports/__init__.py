"""A change as text, Markdown and JSON."""
