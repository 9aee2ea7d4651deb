"""The one definition of every option, its schema and its spellings."""
