"""The window itself: opening it, the four places, menus, notices."""
