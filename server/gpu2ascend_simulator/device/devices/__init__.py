"""Which devices there are, which one a thread works on, its streams, and what torch asks about them."""
