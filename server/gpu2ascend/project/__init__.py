"""Whole projects: find the files, migrate or check them on every core, and write the result and reports.

The two entry points are :func:`gpu2ascend.project.migrate.migrate.migrate` and
:func:`gpu2ascend.project.inspect.check.check_paths`. Neither prints: a front end renders what they return.
Errors that a user can act on are :class:`gpu2ascend.project.errors.ProjectError`.

Nothing is imported here, so that importing one part does not load the others.
"""
