"""Live: watch a session, or look at one that is over."""

from .page import LivePage

__all__ = ["LivePage"]
