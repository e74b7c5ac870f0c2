"""What is kept on the desktop: sessions, their steps and series, and what the person added to them.

The only home of sqlite3. `History` is opened once a thread; the other modules are functions over it.
"""
