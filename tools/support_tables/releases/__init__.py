"""From torch's own wheels: which names each release has, and which names are of one object."""
