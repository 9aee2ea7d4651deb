"""What becomes of the values that a program of the project is given on its command line."""
