"""The proof: foreign projects from PyPI, migrated, checked and prepared for a review by hand."""
