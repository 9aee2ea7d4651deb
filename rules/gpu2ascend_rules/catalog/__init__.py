"""The rules. A family is a folder, the hundred of its codes, a message file and a coverage table."""
