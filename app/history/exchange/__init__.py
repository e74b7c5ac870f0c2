"""Sessions that come and go as files: exported, imported, published, as Parquet.

Command line, History and Compare call it. What comes is checked completely before anything of it is
stored.
Start with `import_any`, which takes any file; `importing` takes what `exporting` wrote, and `publishing`
stores sessions that Dyno did not carry out (`app.imported`).
"""
