"""What jedi knows of receivers across the files of a project: in a process of its own, within limits."""
