"""From what a person asked for to a plan in which nothing is left open."""

from .estimate import ContenderSize, Estimate, estimate
from .request import ContenderRequest, PlanRequest
from .resolve import resolve

__all__ = ["ContenderRequest", "ContenderSize", "Estimate", "PlanRequest", "estimate", "resolve"]
