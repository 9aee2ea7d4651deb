"""A file of the internet."""

import hashlib
import urllib.request


def _downloaded(address, digest):
    """What is found at an address, if it is what is expected."""
    with urllib.request.urlopen(address) as answer:
        data = answer.read()
    if hashlib.md5(data).hexdigest() != digest:
        raise RuntimeError(f"{address} is not the file that was expected")
    return data
