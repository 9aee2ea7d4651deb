"""A simulated Ascend NPU for torch's CPU build, on which migrated projects are proven.

Runs in the interpreter of the project that is verified, never in that of the server or of the command:
it changes torch for good. It needs torch >= 2.10 and nothing else beside the standard library.
"""
