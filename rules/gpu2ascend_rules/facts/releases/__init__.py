"""What torch's own releases say: which has a name, and which names are of one object. See README.md."""
