"""The one way in which a rewrite fails."""


class RewriteDeclined(Exception):
    """The expression is too deep for LibCST's parser, or is not one that the operation can change."""
