"""The rules of the family advice: what would be faster or more exact on the NPU."""
