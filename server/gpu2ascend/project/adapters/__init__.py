"""Packages that a project gets beside its own code: what they hold, and putting them there."""
