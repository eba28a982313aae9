"""FRR, which routes on SONiC: its configuration as statements and in neutral form. It is no NOS by itself."""
