"""The ground of the agent: errors, its directory, the journal, requests from people, disks and processes."""
