"""Commands about projects."""
