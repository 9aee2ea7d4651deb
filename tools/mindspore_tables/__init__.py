"""The table of the MindSpore target: proposed from public pairs of names, proved by running both sides."""
