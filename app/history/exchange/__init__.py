"""Sessions that come and go as files: exported, imported, published, as Parquet.

What comes is checked completely before anything of it is stored. Start with `importing`.
"""
