"""What tools answer to models: one shape for the MCP server and for the chat of an editor."""
