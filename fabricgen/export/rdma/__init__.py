"""What hosts need for RDMA: settings of NICs, names of devices, and the environment of libraries."""
