"""The page itself: one document, a few modules, a vendored chart library. No build, no network."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI, Request
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles

from revops_ma.server.api import Api
from revops_ma.server.replies import Reply

FOLDER = Path(__file__).parent / "page"


def add_page(app: FastAPI, api: Api) -> None:
    """Serve the page at /judge, and at / for browsers; programs get an index there."""
    app.include_router(api.router())

    @app.api_route("/judge", methods=["GET", "HEAD"], include_in_schema=False)
    async def judge() -> Response:
        return FileResponse(FOLDER / "index.html", media_type="text/html")

    @app.api_route("/", methods=["GET", "HEAD"], include_in_schema=False)
    async def index(request: Request) -> Response:
        if "text/html" in request.headers.get("accept", ""):
            return await judge()
        worlds = {name: menu.scenarios for name, menu in api.menus.items()}
        return Reply({"name": "revops_ma", "page": "/judge", "worlds": worlds})

    @app.get("/favicon.ico", include_in_schema=False)
    async def icon() -> Response:
        return FileResponse(FOLDER / "icon.svg", media_type="image/svg+xml")

    app.mount("/static", StaticFiles(directory=FOLDER), name="static")
