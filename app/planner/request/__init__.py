"""What a person asks for: contenders, sequence, sizes, limits; read from words, forms and plan files.

Bad input is refused here, before a target is called. Start with `request`.
"""
