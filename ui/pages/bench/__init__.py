"""The place where a plan is set up."""

from .page import BenchPage

__all__ = ["BenchPage"]
