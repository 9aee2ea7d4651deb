"""Where names lead over the files of a project: definitions, classes and uses."""
