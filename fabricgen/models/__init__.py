"""Models of what users write: how they are declared, validated and described as JSON Schema."""
