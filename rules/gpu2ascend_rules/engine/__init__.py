"""What a rule is, how rules are found, and the one walk over a file that calls them."""
