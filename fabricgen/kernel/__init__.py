"""What every room uses: diagnostics with positions, discovery of a folder's modules, units, resources."""
