"""The sources of ``ascend_function/similar_api.py``: one equivalent a file, in Python 3.7 and torch 1.5.

Nothing here is imported by the product, which has no torch: the files are data for
:mod:`gpu2ascend_rules.similar.assemble`. The tests import them, and compare them with torch.
"""
