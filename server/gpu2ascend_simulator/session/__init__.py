"""What a verified process does beside the project's code: it counts steps, notes losses, lines and errors.

`start` (module `start`) is called before the first line of the project, by the `sitecustomize` of the folder
that is first on PYTHONPATH. Everything noted goes into one file for each process (module `record`), which the
command reads. Nothing beside the standard library is imported before the project imports torch.
"""
