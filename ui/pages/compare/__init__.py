"""Sessions side by side."""

from .page import ComparePage as ComparePage
