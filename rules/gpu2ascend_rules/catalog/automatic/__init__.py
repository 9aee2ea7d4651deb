"""AUTO1xx: what ``torch_npu.contrib.transfer_to_npu`` needs, and what it does not reach."""
