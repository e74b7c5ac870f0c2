"""What a session does in each step: load, drive, settle, restart, analyse."""
