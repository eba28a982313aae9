"""What a configuration says, a subject each; `reader` puts it together."""
