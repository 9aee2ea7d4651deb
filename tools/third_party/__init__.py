"""Makes the table of packages of others from the sources beside this module."""
