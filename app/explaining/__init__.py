"""Which setting did it: measures contenders between two, until each setting has its share of their ratio."""
