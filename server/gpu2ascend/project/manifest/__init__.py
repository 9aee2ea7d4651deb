"""The record of what a migration wrote: its marker, the list with digests, the names of its reports."""
