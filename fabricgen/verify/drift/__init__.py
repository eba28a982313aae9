"""Running configurations of devices compared with planned ones: by what they mean, not by their text."""
