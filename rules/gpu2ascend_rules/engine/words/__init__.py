"""What a file may ask of the rules, judged by its words alone: where that is nothing, no tree is made."""
