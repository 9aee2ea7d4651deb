"""One climber for every subject: it follows a text from its expression outwards to where it is used."""
