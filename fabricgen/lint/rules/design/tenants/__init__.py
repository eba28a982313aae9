"""Rules on designs: tenants that fabrics do not keep apart, and appliances, devices and leaks that tenants share."""
