"""The ways in which a rewrite fails."""


class RewriteDeclined(Exception):
    """The expression is too deep for LibCST's parser, or is not one that the steps can change."""


class RewriteFailed(RewriteDeclined):
    """A defect of ours: the rewrite raised what it should not have, which is its cause."""
