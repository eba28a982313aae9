"""What running configurations say of the sections of a page: routing, pools, services, management, QoS and the rest."""
