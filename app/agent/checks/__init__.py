"""What is checked on the target before a plan starts."""
