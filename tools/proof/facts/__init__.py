"""Facts drawn at random from the tables, and what the sources that they name say."""
