"""The user's own rules: the text of a JSON file in, rules that are like any other out.

``reading`` turns the text into the plain data of ``model``, and reports every mistake with its position;
``schema`` says which keys there are, for the reader and for editors. The rules proper, with the codes
CUS001 to CUS004, are in ``arguments``, ``function_names``, ``module_names`` and ``patterns``;
``already_applied`` keeps them from being applied to what they have written themselves.
"""
