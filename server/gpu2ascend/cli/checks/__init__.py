"""What ``check`` does besides reporting: comments that silence findings, and another look at each change."""
