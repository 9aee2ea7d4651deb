"""From the text of a rule file to its rules, or to everything that is wrong with it."""
