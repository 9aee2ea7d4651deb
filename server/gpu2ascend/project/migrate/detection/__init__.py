"""A copy of the source project, with the detector of dynamic shapes around its loops over batches."""
