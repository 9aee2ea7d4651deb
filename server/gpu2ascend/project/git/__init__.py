"""What a git repository says, by git itself, which runs isolated from what the repository asks it to run."""
