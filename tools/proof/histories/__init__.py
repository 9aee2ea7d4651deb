"""Histories of public repositories: migrated, edited by hand, and updated to a later commit."""
