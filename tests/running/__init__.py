"""What runs the tests: workers of pytest, the tenth of each day, a second try alone, builds, coverage."""
