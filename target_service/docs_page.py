"""GET /docs: Swagger UI on the service's own OpenAPI document; it asks nothing of the internet.

The parts in `swagger_ui` are those of the npm package swagger-ui-dist 5.35.0, as they are, with its
licence.
"""

from pathlib import Path

from fastapi import APIRouter
from fastapi.openapi.docs import get_swagger_ui_html
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response

_PARTS = {"swagger-ui-bundle.js": "text/javascript", "swagger-ui.css": "text/css"}
_FOLDER = Path(__file__).parent / "swagger_ui"
_GET_OR_HEAD = ["GET", "HEAD"]


def docs_routes(title: str) -> APIRouter:
    """Return the routes of the page and its parts."""
    router = APIRouter(prefix="/docs", include_in_schema=False)
    script, style = (f"/docs/{name}" for name in _PARTS)
    page = get_swagger_ui_html(
        openapi_url="/openapi.json",
        title=title,
        swagger_js_url=script,
        swagger_css_url=style,
        # Without one the page would ask another site for it.
        swagger_favicon_url="data:,",
        swagger_ui_parameters={"validatorUrl": None},
    )

    @router.api_route("", methods=_GET_OR_HEAD, name="docs")
    async def docs() -> Response:
        """Answer with the page."""
        return page

    @router.api_route("/{part}", methods=_GET_OR_HEAD, name="docs_part")
    async def docs_part(part: str) -> Response:
        """Answer with a part of it."""
        if part not in _PARTS:
            raise HTTPException(404)
        return FileResponse(_FOLDER / part, media_type=_PARTS[part])

    return router
