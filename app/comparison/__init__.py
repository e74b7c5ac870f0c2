"""Sessions side by side: relative figures, what they cost, what differs, what may explain it; as data and as text."""
