"""The MindSpore target: rules, conversion, tables and texts that no other target needs.

:mod:`gpu2ascend_rules` loads it by the entry point ``mindspore`` of the group ``gpu2ascend.targets`` where
the target is asked for, and imports nothing of it.
"""
