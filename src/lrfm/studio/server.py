# SPDX-License-Identifier: MIT
"""The server behind the page: a few addresses, each a function of what the page sends.

It answers to this machine only, to whoever knows its token, within limits of size and time. Starlette is the smallest well-kept library that has
routes, limits and a test client; a framework that checks types of requests would check again what `lrfm.studio.statement` checks with better sentences.
"""

from __future__ import annotations

import json
import math
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from lrfm.problem import ProblemError
from lrfm.studio import views
from lrfm.studio.access import HEADER, Access
from lrfm.studio.checking import check
from lrfm.studio.jobs import Busy, Job, Jobs
from lrfm.studio.statement import NONE, Fields, Tables, fields_of
from lrfm.studio.texts import StudioError

LARGEST = 256 * 1024  # bytes of a request
LONGEST = 600.0  # seconds of a solve
DEFAULT_SECONDS = 60.0
PATIENCE = 1.0  # seconds for which a request waits for a solve that is nearly done
FOREIGN = ("cross-site", "same-site")  # what a browser says of requests that pages of other servers cause
UNKNOWN = "Open the studio by the address that `lrfm studio` printed: it contains a token."
FILES = {
    "lrfm": ("application/octet-stream", "run.lrfm"),
    "png": ("image/png", "field.png"),
    "gif": ("image/gif", "field.gif"),
    "mp4": ("video/mp4", "field.mp4"),
    "nc": ("application/x-netcdf", "field.nc"),
    "csv": ("text/csv", "field.csv"),
}
PAGE = resources.files("lrfm.studio") / "page"
KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
POLICY = (
    "default-src 'self'; img-src 'self' blob: data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'"
)

Answer = Callable[[Request], Awaitable[Response]]


# Titles of examples by the module of the catalog that states them.
GROUPS = {
    "paper": "From the paper",
    "diffusion": "Heat and diffusion",
    "verification": "Heat and diffusion",
    "waves": "Waves",
    "beams": "Beams",
    "solitons": "Solitons",
    "reaction": "Reactions",
    "patterns": "Patterns",
    "flow": "Flows",
    "spin": "Examples of Chebfun's spin",
}
ORDER = (*dict.fromkeys(GROUPS.values()), "Others")


def make_app(access: Access, first: Fields | None = None, tables: Tables = NONE) -> Starlette:
    """The application; `first` is what stands on the page when it opens, `tables` are the only files that its fields may name."""
    jobs = Jobs()
    told = partial(_sentences, access)
    routes = [
        Route("/", _page("index.html")),
        *(
            Route(f"/{name}", _page(name))
            for name in (
                "studio.js",
                "statement.js",
                "pictures.js",
                "paint.js",
                "talk.js",
                "draw.js",
                "studio.css",
                "icon.svg",
            )
        ),
        Route("/examples/{name}.png", _thumbnail),
        Route("/api/enter", partial(_enter, access), methods=["POST"]),
        Route("/api/start", told(partial(_start, first))),
        Route("/api/examples", told(_examples)),
        Route("/api/check", told(partial(_check, tables)), methods=["POST"]),
        Route("/api/text/{kind}", told(partial(_text, tables)), methods=["POST"]),
        Route("/api/colors/{name}", told(_colors)),
        Route("/api/solve", told(partial(_solve, jobs, tables)), methods=["POST"]),
        Route("/api/jobs/{job}", told(partial(_job, jobs))),
        Route("/api/jobs/{job}/cancel", told(partial(_cancel, jobs)), methods=["POST"]),
        Route("/api/jobs/{job}/view", told(partial(_view, jobs))),
        Route("/api/jobs/{job}/probe", told(partial(_probe, jobs))),
        Route("/api/jobs/{job}/file/{kind}", told(partial(_file, jobs))),
    ]
    guards = [
        Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost", "[::1]", "testserver"]),
        Middleware(BaseHTTPMiddleware, dispatch=_limits),
    ]
    app = Starlette(routes=routes, middleware=guards)
    app.state.jobs = jobs
    return app


async def _limits(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    """Refuse what is too large before it is read, and let no other page use this one."""
    length = request.headers.get("content-length", "0")
    if not length.isdigit() or int(length) > LARGEST or "transfer-encoding" in request.headers:
        return PlainTextResponse(f"A request has at most {LARGEST:,} bytes.", 413)
    if request.headers.get("sec-fetch-site") in FOREIGN:
        return PlainTextResponse(
            "Pages of other servers cannot open the studio; paste the link into the address bar.", 403
        )
    response = await call_next(request)
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "no-store"
    return response


def _sentences(access: Access, answer: Answer) -> Answer:
    """Only for who knows the token; errors become sentences with the field they are about."""

    async def guarded(request: Request) -> Response:
        if not access.allows(request.headers.get(HEADER, "")):
            return PlainTextResponse(UNKNOWN, 403)
        if request.method == "POST" and request.headers.get("content-type") != "application/json":
            return PlainTextResponse("A statement is sent as application/json.", 415)
        try:
            return await answer(request)
        except StudioError as error:
            return JSONResponse({"message": str(error), "field": error.field, "line": error.line}, 422)
        except ProblemError as error:
            return JSONResponse({"message": str(error), "field": "equation", "line": 0}, 422)
        except Busy as error:
            return JSONResponse({"message": str(error)}, 429)
        except KeyError:
            return JSONResponse({"message": "This solution is not kept any more; solve again."}, 404)

    return guarded


async def _enter(access: Access, request: Request) -> Response:
    """A key for the code that the browser was started with."""
    try:
        key = access.exchange(str((await _data(request)).get("code", "")))
    except StudioError:
        key = None
    if key is None:
        return PlainTextResponse(UNKNOWN, 403)
    return JSONResponse({"token": key})


def _page(name: str) -> Answer:
    async def answer(_: Request) -> Response:
        return Response((PAGE / name).read_bytes(), media_type=KINDS[Path(name).suffix])

    return answer


async def _thumbnail(request: Request) -> Response:
    """The small picture of an example (tools/thumbnails.py)."""
    pictures = {path.name: path for path in (PAGE / "examples").iterdir()}
    found = pictures.get(f"{request.path_params['name']}.png")
    return (
        Response(status_code=404) if found is None else Response(found.read_bytes(), media_type="image/png")
    )


async def _data(request: Request) -> dict[str, Any]:
    try:
        data = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise StudioError("The request is not JSON.") from None
    if not isinstance(data, dict):
        raise StudioError("The request is not an object.")
    return data


# Statements -------------------------------------------------------------------------------------------------


async def _start(first: Fields | None, _: Request) -> Response:
    """What the page needs to begin: the statement it opens with, the names of colors, and which files this machine cannot write."""
    missing = [] if shutil.which("ffmpeg") else ["mp4"]
    return JSONResponse(
        {"first": None if first is None else vars(first), "colors": views.COLORS, "missing": missing}
    )


async def _examples(_: Request) -> Response:
    """The catalog; all of it is read, so a page asks for it when its first picture is drawn."""
    return JSONResponse({"examples": await run_in_threadpool(_catalog)})


def _catalog() -> list[dict[str, Any]]:
    from lrfm import catalog

    told = []
    for entry in catalog.entries():
        fields = fields_of(catalog.get(entry.name))
        if fields is not None:
            group = GROUPS.get(entry.builder.__module__.rpartition(".")[2], "Others")
            told.append({"name": entry.name, "title": entry.title, "group": group, "fields": vars(fields)})
    return sorted(told, key=lambda example: ORDER.index(example["group"]))


async def _check(tables: Tables, request: Request) -> Response:
    fields = Fields.from_data((await _data(request)).get("fields"))
    return JSONResponse(await run_in_threadpool(check, fields, tables))


async def _text(tables: Tables, request: Request) -> Response:
    data = await _data(request)
    fields, tol = Fields.from_data(data.get("fields")), _tolerance(data)
    kinds = {"toml": fields.toml, "python": partial(fields.python, tables=tables)}
    make = kinds.get(request.path_params["kind"])
    if make is None:
        raise StudioError(f"Texts are {', '.join(kinds)}.")
    return PlainTextResponse(await run_in_threadpool(make, tol))


def _tolerance(data: dict[str, Any]) -> float:
    return _positive(data.get("tol", 1e-6), "tol", 1.0)


def _positive(value: object, name: str, most: float) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise StudioError(f"{name} is a number, such as 1e-6.", name) from None
    if not 0 < number <= most or not math.isfinite(number):
        raise StudioError(f"{name} lies between 0 and {most:g}.", name)
    return number


async def _colors(request: Request) -> Response:
    return Response(
        await run_in_threadpool(views.colors, request.path_params["name"]),
        media_type="application/octet-stream",
    )


# Solves -----------------------------------------------------------------------------------------------------


async def _solve(jobs: Jobs, tables: Tables, request: Request) -> Response:
    """Begin a solve, and wait a moment: a small one is answered at once."""
    data = await _data(request)
    fields, tol = Fields.from_data(data.get("fields")), _tolerance(data)
    seconds = _positive(data.get("seconds", DEFAULT_SECONDS), "seconds", LONGEST)
    seed = data.get("seed", 0)
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 2**32:
        raise StudioError("seed is a whole number, 0 or larger.", "seed")
    statement = await run_in_threadpool(fields.statement, tables)
    job = jobs.submit(statement.problem, {"tol": tol, "seed": seed, "max_seconds": seconds})
    await run_in_threadpool(job.visible.wait, PATIENCE)
    return JSONResponse(job.as_data())


async def _job(jobs: Jobs, request: Request) -> Response:
    job = jobs.get(request.path_params["job"])
    await run_in_threadpool(job.finished.wait, PATIENCE / 4)
    return JSONResponse(job.as_data())


async def _cancel(jobs: Jobs, request: Request) -> Response:
    job = jobs.get(request.path_params["job"])
    job.unwanted.set()
    await run_in_threadpool(job.finished.wait, PATIENCE)
    return JSONResponse(job.as_data())


def _solved(jobs: Jobs, number: str, request: Request) -> Any:
    job: Job = jobs.get(number)
    chosen = request.query_params.get("mode", "0")
    solution = job.shown(int(chosen) if chosen.isascii() and chosen.isdigit() else 0)
    if solution is None:
        raise StudioError("There is no solution yet.")
    return solution


def _point(request: Request) -> dict[str, float]:
    """Coordinates in an address: ``at.x=0.3``."""
    found = {}
    for name, text in request.query_params.items():
        if name.startswith("at."):
            try:
                found[name[3:]] = float(text)
            except ValueError:
                raise StudioError(f"{name[3:]} = {text!r} is not a number.") from None
            if not math.isfinite(found[name[3:]]):
                raise StudioError(f"{name[3:]} is not finite.")
    return found


async def _view(jobs: Jobs, request: Request) -> Response:
    """Values on a line or a grid; with ``minus=JOB`` those of another solve are subtracted."""
    query = request.query_params
    axes = query.get("axes", "").split(",")
    try:
        counts = [int(n) for n in query.get("counts", "").split(",")]
    except ValueError:
        raise StudioError("counts are whole numbers, one per axis.") from None

    def make(number: str) -> views.View:
        return views.make_view(
            _solved(jobs, number, request), query.get("show", ""), axes, counts, _point(request)
        )

    view = await run_in_threadpool(make, request.path_params["job"])
    if "minus" in query:
        other = await run_in_threadpool(make, query["minus"])
        if other.ends != view.ends:
            raise StudioError("Only solutions on the same domain and time can be subtracted.")
        view = views.View(view.axes, view.ends, view.values - other.values)
    return Response(view.packed(), media_type="application/octet-stream")


async def _probe(jobs: Jobs, request: Request) -> Response:
    solution = _solved(jobs, request.path_params["job"], request)
    show = request.query_params.get("show", "")
    return JSONResponse(await run_in_threadpool(views.probe, solution, show, _point(request)))


async def _file(jobs: Jobs, request: Request) -> Response:
    """A file of the solution, written into a folder that is removed when it has been sent."""
    solution, kind = _solved(jobs, request.path_params["job"], request), request.path_params["kind"]
    if kind not in FILES:
        raise StudioError(f"Files are {', '.join(FILES)}.")
    media, name = FILES[kind]
    folder = tempfile.TemporaryDirectory(prefix="lrfm-studio-")
    path = Path(folder.name) / name
    job = jobs.get(request.path_params["job"])
    job.written = 0.0
    writers = {"lrfm": solution.save, "png": solution.plot}
    write = writers.get(kind, partial(solution.export, progress=job.tell_frames))
    try:
        await run_in_threadpool(write, path)
    except (RuntimeError, ValueError, OSError) as error:
        folder.cleanup()
        raise StudioError(str(error)) from None
    from starlette.background import BackgroundTask

    return FileResponse(path, media_type=media, filename=name, background=BackgroundTask(folder.cleanup))
