"""Charts of Live, Compare, History and saved pictures; the only home of pyqtgraph."""
