"""The sources of ``x2ms_helpers/like_torch.py``: modules of parts, for MindSpore.

A part begins with a comment that has its name and the API that it stands in for, and ends where the next
one begins. A project is given it with the parts and imports whose names it reads. The product has no
MindSpore and imports nothing of this: the files are data for :mod:`gpu2ascend_rules.similar.assemble`. The
tests run them and torch's.
"""
