"""What all processes must do alike: where they come by together, decisions, figures, names of files."""
