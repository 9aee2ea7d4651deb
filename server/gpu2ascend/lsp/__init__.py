"""The language server: a client's messages in, answers and notifications out.

lsprotocol is imported here in the way that makes the start short, before anything else imports it: every
process of the language server begins with this package.
"""

from .startup.lazy_classes import define_lazily

define_lazily()
