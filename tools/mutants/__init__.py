"""Mutation testing: ``make mutants`` (docs/testing.md).

Small defects are put into the code, one at a time; the tests that run it should fail. The mutants come from
Cosmic Ray. What is here chooses a sample of them, and the tests that each is run against.
"""
