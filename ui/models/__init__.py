"""What tables show; reading is off the GUI thread."""
