"""What of the places that experts changed by hand, in public ports to the NPU, the product tells or edits."""
