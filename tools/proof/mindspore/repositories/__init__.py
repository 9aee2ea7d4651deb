"""Files of public repositories, converted and trained for some steps beside what they were."""
