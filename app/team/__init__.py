"""A team's history: sessions, and what people added to them, shared through a MySQL server."""
