"""Dyno without its window: no file in here imports Qt or `ui`.

The folders have an order, and each imports only those before it: ARCHITECTURE.md has them in a table,
tests/unit/test_imports.py holds the order. Each folder's own page is the docstring of its `__init__.py`.
"""
