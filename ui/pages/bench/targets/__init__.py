"""The targets: adding, editing, surveying; their builds and snapshots."""
