"""Parts: text of a language within a file of another, with the way back for every offset and every edit.

A file is parts (:meth:`..plain.text_file.TextFile.parts`): the code that a script of a shell hands to
Python is one, and so is a cell of a notebook that is a module of its own. Each is examined as a file is, and
what is found and changed in it is that of the file.
"""
