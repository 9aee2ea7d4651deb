"""Transformations of whole modules, made on request only: a rule changes a place, a codemod a program.

The distributed rule finds its places as rules do, by the tree-sitter tree and its names, across the files of
the project; what changes is described by plain data (:mod:`.operations`) and carried out by LibCST, which
keeps comments and layout (:mod:`.module_rewrite`).
"""
