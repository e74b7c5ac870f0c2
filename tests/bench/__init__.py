"""Measuring Dyno itself: `make bench`, or `python -m tests.bench FIGURE ...` for single figures."""
