"""A structure with each of its leaves changed."""


def _mapped(change, value):
    """A structure of dictionaries, lists and tuples with each of its leaves changed."""
    if isinstance(value, dict):
        return {key: _mapped(change, one) for key, one in value.items()}
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(_mapped(change, one) for one in value)
    return change(value)
