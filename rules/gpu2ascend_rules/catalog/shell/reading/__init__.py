"""What scripts say: values that options get, summaries of functions, sourced files, served programs."""
