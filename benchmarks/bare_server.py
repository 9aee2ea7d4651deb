"""The smallest pygls server over stdio: what any language server in Python costs to start."""

from pygls.lsp.server import LanguageServer

if __name__ == "__main__":
    LanguageServer("bare", "1").start_io()
