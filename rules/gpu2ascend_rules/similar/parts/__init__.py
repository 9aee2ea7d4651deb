"""The sources of ``ascend_function/similar_api.py``: modules of parts, in Python 3.7 and torch 1.5.

A part begins with a comment that has its name and what it is, and ends where the next
one begins. A project is given it with the parts and imports whose names it reads. The product has no
torch and imports nothing of this: the files are data for :mod:`gpu2ascend_rules.similar.assemble`. The tests
import them, and compare them with torch.
"""
