"""Files and folders of data that are not here, made up where a project reads them.

A read of the project itself (or of a package that it gives a path) that finds nothing is sent to a private
folder, in which what is missing is made when it is asked for. Where a project tests for something, or
catches that it is not there, it stays missing. Nothing outside of the private folder is written, and nothing
that is here is replaced.
"""
