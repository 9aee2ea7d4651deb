"""Calls of one library as calls of another: what a table entry says, and the edits that it makes of a call.

An entry is data: the parameters of the API that is called, and the expression that takes the place of the
call. Nothing here knows which libraries these are.
"""
