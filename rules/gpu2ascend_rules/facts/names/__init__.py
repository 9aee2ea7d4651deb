"""Tables of names: of APIs that the NPU has, of apex, of star imports, and of long spellings."""
