"""Data of Dyno, found through app.catalog."""
