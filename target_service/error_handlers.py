"""Problem documents for what the framework's routes refuse."""

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from target_service.problems import InternalError, MethodNotAllowed, Problem, UnknownRoute


def add_error_handlers(app: FastAPI) -> None:
    """Answer problems, unknown routes, wrong methods and defects with problem documents."""

    @app.exception_handler(Problem)
    async def answer_problem(_: Request, problem: Problem) -> Response:
        """Answer with the problem raised."""
        return _respond(problem)

    @app.exception_handler(404)
    async def answer_unknown_route(request: Request, _: HTTPException) -> Response:
        """Answer that the path leads nowhere."""
        return _respond(UnknownRoute(f"There is no route {request.scope['path']}."))

    @app.exception_handler(405)
    async def answer_wrong_method(_: Request, error: HTTPException) -> Response:
        """Answer with the methods that the route takes."""
        allowed = (error.headers or {})["Allow"].split(", ")
        return _respond(MethodNotAllowed(*sorted(allowed)))

    @app.exception_handler(Exception)
    async def answer_defect(_: Request, __: Exception) -> Response:
        """Answer that the service failed."""
        return _respond(InternalError("The service failed; its log says why."))


def _respond(problem: Problem) -> Response:
    answer = problem.answer()
    headers = {name.decode(): value.decode() for name, value in answer.start["headers"]}
    return Response(answer.body["body"], answer.status, headers)
