"""``torch_npu.contrib.transfer_to_npu``: functions of torch whose arguments are changed from CUDA to NPU.

It reaches what the release's own reaches (``patched.tsv``) and nothing more, with the same side effects:
what it leaves alone keeps meaning CUDA, and a positional text loses every ``cuda`` in it, a path, too.
"""
