"""The few dialogs there are: a secret, a host key."""
