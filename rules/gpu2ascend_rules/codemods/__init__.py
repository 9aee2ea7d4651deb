"""Whole-module transformations, made on request only. Each returns a fix like any rule's."""
