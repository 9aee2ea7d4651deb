"""The sources of ``x2ms_helpers/like_torch.py``: one class or function of torch's a file, for MindSpore.

Nothing here is imported by the product, which has no MindSpore: the files are data for
:mod:`gpu2ascend_rules.similar.assemble`. The tests run them beside torch's.
"""
