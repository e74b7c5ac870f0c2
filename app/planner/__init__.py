"""From a request to a complete plan."""

from .estimate import ContenderSize, Estimate, estimate
from .request import ContenderRequest, PlanRequest
from .resolve import resolve

__all__ = ["ContenderRequest", "ContenderSize", "Estimate", "PlanRequest", "estimate", "resolve"]
