"""The window itself: opening it, the four places, menus, notices.

`ui.main` calls it: `application` to open the window, `pictures` to save a chart without one.
Start with `application` (the context that all parts are given, the one door for defects), then `window`,
which builds and connects. `notices` has messages about plans on every page; `ahead` imports the pages
meanwhile; `actions` lists what pages can do that nobody has seen yet.
"""
