"""Edits of a text: from the plans of fixes, with the imports they need, and offsets after them."""
