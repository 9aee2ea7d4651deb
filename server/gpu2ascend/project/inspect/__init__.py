"""A project looked at in place: ``check`` (and its fixes), the analysis, the preview of a migration."""
