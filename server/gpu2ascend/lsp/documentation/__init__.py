"""Rules, APIs and guides explained as Markdown, and the pages of all rules that diagnostics link to."""
