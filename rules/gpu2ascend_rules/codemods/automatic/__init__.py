"""What a script needs that runs by transfer_to_npu."""
