"""What must hold of every input, however it is damaged: it is read, or refused in one line."""
