"""The command line: ``gpu2ascend migrate | check | explain``."""
