"""What a program is made of: places in its files, and the calls between them."""
