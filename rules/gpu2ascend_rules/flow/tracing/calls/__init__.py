"""The steps of a word through calls."""
