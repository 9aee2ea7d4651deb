"""What the receiver of a member is: evidence in the file, and what other files could add."""
