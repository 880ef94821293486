"""A small client of community events: it negotiates, falls back, and ignores what it does not know.

It needs the standard library alone. It lies in this package because packages do not import each
other and the load uses it; copy the folder to use it elsewhere.
"""
