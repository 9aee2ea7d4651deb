"""The projects that documents are open of: which one a document belongs to, and the index of each."""
