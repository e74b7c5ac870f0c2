"""Which lines and branches of app/ and ui/ the tests carry out, the agent's processes included."""
