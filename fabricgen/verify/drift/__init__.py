"""What devices run, as they were asked for it, against what is planned: in the language of intent, not of text."""
