"""What calls do with the texts that they are given, at once or later."""
