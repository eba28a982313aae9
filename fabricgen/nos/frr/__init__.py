"""FRR, which routes on SONiC: its configuration as statements and as the model of a switch. It is no NOS by itself."""
