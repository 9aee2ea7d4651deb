"""What code is migrated to: each target owns its rules, versions, names, files and texts."""
