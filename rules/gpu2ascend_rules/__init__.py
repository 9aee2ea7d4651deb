"""What must change in a CUDA project on an Ascend NPU, and the engine that finds and rewrites it.

This package is pure: text goes in, findings and edits come out. It does no input or output but
reading its own data files, and it never imports or runs the code it looks at.
"""
