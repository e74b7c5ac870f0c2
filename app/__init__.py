"""The core of Dyno: everything but the screen."""
