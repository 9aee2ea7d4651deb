"""The sections of the page, one each."""
