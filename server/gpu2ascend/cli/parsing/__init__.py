"""The words of a command line: flags, help, completion, and what other tools call them."""
