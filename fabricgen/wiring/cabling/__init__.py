"""Which links share a cable, how long it runs, and of which medium and part it is."""
