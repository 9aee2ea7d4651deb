"""A stand-in for apex, for tests only: as much of ``apex.amp`` as AMP transplant writes."""
