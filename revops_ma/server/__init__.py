"""The OpenEnv server: every world over HTTP and WebSocket, and the page where people play.

`build` in `app.py` makes the application; `revops-ma serve` runs it. Importing this package is
cheap; OpenEnv and FastAPI are loaded by the modules that need them.
"""
