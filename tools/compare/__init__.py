"""``make compare``: what two commits find in the same programs, and what their fixes make of them."""
