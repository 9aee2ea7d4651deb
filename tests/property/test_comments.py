"""What would go with a call, by Python's tokenizer: a comment anywhere in it is never lost."""

from __future__ import annotations

import io
import tokenize

from hypothesis import example, given
from hypothesis import strategies as st

from gpu2ascend_rules.edits.removal import holds_comment
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.text.source_file import SourceFile

GAPS = st.sampled_from(["", "", " ", "\n  ", "  # why\n  "])
TEXTS = st.sampled_from(["'# no comment'", "1", "x", "f'{x}#'"])
VALUES = st.recursive(
    TEXTS,
    lambda inner: st.one_of(
        st.builds("[{}{}{}]".format, GAPS, inner, GAPS), st.builds("g({}{}{})".format, GAPS, inner, GAPS)
    ),
    max_leaves=4,
)
CALLS = st.builds("f({}{}{},{}k={}{})  # behind\n".format, GAPS, VALUES, GAPS, GAPS, VALUES, GAPS)


def has_comment_inside(text: str) -> bool:
    """Whether a comment stands before the last bracket of a statement."""
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    last = max(index for index, token in enumerate(tokens) if token.string == ")")
    return any(token.type == tokenize.COMMENT for token in tokens[:last])


@given(CALLS)
@example("f(x,\n  # why\n  k=1)\n")
@example("f(g(  # why\n  x), k=1)\n")
@example("f('# no comment', k=1)  # behind\n")
def test_a_call_holds_the_comments_that_the_tokenizer_sees_in_it(text: str) -> None:
    call = next(node for node in nodes_in(SourceFile(text).root) if node.type == "call")
    assert holds_comment(call) is has_comment_inside(text)
