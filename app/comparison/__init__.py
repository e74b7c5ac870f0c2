"""Sessions side by side: relative figures, costs, what differs, what may explain it; as data and as text."""
