"""The steps of a word from one expression to the next."""
