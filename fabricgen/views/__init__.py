"""Views: all values of one switch or one fabric (ports, neighbours, addresses, settings) for templates and exports."""
