"""Rules on designs: logins, keys and secrets, and the servers and ports by which switches are managed."""
