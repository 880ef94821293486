"""GET /docs: Swagger UI on the service's own OpenAPI document; it asks nothing of the internet.

The parts in `swagger_ui` are those of the npm package swagger-ui-dist 5.35.0, as they are, with its
licence.
"""

from pathlib import Path

from fastapi import FastAPI
from fastapi.openapi.docs import get_swagger_ui_html
from starlette.exceptions import HTTPException

from target_service.http.answers import Answer, answer

_PARTS = {"swagger-ui-bundle.js": b"text/javascript", "swagger-ui.css": b"text/css"}
_FOLDER = Path(__file__).parent / "swagger_ui"


def add_docs_routes(app: FastAPI) -> None:
    """Serve the page and its parts."""
    script, style = (f"/docs/{name}" for name in _PARTS)
    page = get_swagger_ui_html(
        openapi_url="/openapi.json",
        title=app.title,
        swagger_js_url=script,
        swagger_css_url=style,
        # Without one the page would ask another site for it.
        swagger_favicon_url="data:,",
        swagger_ui_parameters={"validatorUrl": None},
    )
    bodies = {name: (_FOLDER / name).read_bytes() for name in _PARTS}

    @app.get("/docs", name="docs", response_model=None, include_in_schema=False)
    async def docs() -> Answer:
        return answer(bytes(page.body), media_type=b"text/html; charset=utf-8")

    @app.get("/docs/{part}", name="docs_part", response_model=None, include_in_schema=False)
    async def docs_part(part: str) -> Answer:
        if part not in _PARTS:
            raise HTTPException(404)
        return answer(bodies[part], media_type=_PARTS[part])
