"""Where values from outside enter a program."""
