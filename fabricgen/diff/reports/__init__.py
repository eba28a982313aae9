"""Reports of a change: text, Markdown and JSON."""
