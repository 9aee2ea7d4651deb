"""What each file contributes to the index of its project, found by searches over its bytes."""
