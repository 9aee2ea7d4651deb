"""The program behind the files of a project: which words must change together, and what becomes of them.

A word (``'cuda'``, ``'nccl'``) is followed from the literal to every place that uses it, through the
functions, classes and constants of all files (:mod:`.tracing`). Words that meet where they must agree, such
as at a test or in the list of an option's choices, form one unit (:mod:`.units`), and each unit is decided
once (:mod:`.program`). Rules ask for the decision about a literal by ``Context.decision``.
"""
