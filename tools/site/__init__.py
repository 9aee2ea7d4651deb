"""The documentation site: the repository's Markdown and a page for each rule, in both languages."""
