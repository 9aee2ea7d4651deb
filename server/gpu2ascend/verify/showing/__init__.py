"""What front ends show of a run: lines, a document for programs, a part of the page of a migration."""
