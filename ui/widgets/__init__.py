"""Parts of pages that know no store: they are given what they show."""
