"""Refactorings that keep the meaning of a program, and what the product makes of it before and after.

A word (``'cuda'``, ``'nccl'``) must be decided alike wherever it stands: named, in another module, passed by
position, keyword or star, a default, a field, an entry, an option. Each refactoring writes a project of
several files from one (:mod:`.refactorings`), the project is migrated in this process (:mod:`.migrated`), and
what became of each word is compared (:mod:`.comparison`). ``python -m tools.metamorphic`` takes all samples.
"""
