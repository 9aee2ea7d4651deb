"""How much work is left: its classes, lines and hours, counted once for every document."""
