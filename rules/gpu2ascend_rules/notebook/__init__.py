"""Notebooks: cells as one Python source, and the layout of ``.ipynb`` files.

``magics`` hides what only IPython understands, ``composite`` puts the cells together so that a name imported
in one resolves in the next, ``ipynb`` knows where the cells are in the JSON text and writes them back.
The project migration and the language server use the same composite: the one takes its cells from a file,
the other from an editor.
"""
