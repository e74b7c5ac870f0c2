"""What runs on the target: one file, started over SSH, that carries out a plan.

Imports app.protocol, the standard library and (mysql.py alone) PyMySQL; Python 3.8.
"""
