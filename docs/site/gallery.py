# SPDX-License-Identifier: MIT
"""The gallery: every problem of the catalog with its equation, picture, movie, report and the code that made it.

A hook of the documentation site. Problems are solved when the site is built; what was made is kept in .cache/gallery and made again when the
statement or the version of lrfm changes. LRFM_GALLERY=heat-1d,burgers makes a small one, for a look.
"""

import contextlib
import hashlib
import json
import logging
import os
from pathlib import Path

from mkdocs.structure.files import File

import lrfm
from lrfm import catalog
from lrfm.solution.plot.look import ignore_settings_of_folder

TOL = 1e-4
SECONDS = 60.0
FRAMES = 24
# Groups of cards: problems of the catalog, and pages with a picture that are no evolution of it.
GROUPS: dict[str, tuple[str, tuple[tuple[str, str, str], ...]]] = {
    "Heat and diffusion": (
        "heat-1d heat-2d multiscale-1d multiscale-3d heat-radiation fokker-planck black-scholes advection-diffusion",
        (),
    ),
    "Waves": (
        "wave wave-2d advection advection-outflow klein-gordon acoustics schroedinger beam cantilever",
        (),
    ),
    "Flows and shocks": (
        "taylor-green vortices burgers burgers-front spin-burgers",
        (
            ("howto/flows.html", "howto/flows.png", "A cylinder in a channel"),
            ("howto/shocks.html", "howto/shocks.png", "Sod's tube"),
            ("howto/shocks.html#in-boxes", "howto/basin.png", "A column of water in a basin"),
        ),
    ),
    "Patterns": ("", ()),
    "Solitons": ("nls kdv kdv-consistent kdv-periodic bbm sine-gordon phi-four spin-kdv spin-nls", ()),
    "Domains": (
        "",
        (
            ("domains.html", "results/domains/heat.png", "Heat from a hole"),
            ("domains.html#materials", "results/domains/cooling.png", "A wire in its coat"),
            ("domains.html#regions-in-text", "results/domains/bowl.png", "A region in text"),
        ),
    ),
    "Data": (
        "",
        (
            ("data.html", "data.png", "Numbers from measurements"),
            ("data.html#fields", "data-fields.png", "Fields with bands"),
            ("data.html#a-parameter-as-a-coordinate", "data-family.png", "A parameter as a coordinate"),
        ),
    ),
    "Steady states and modes": (
        "",
        (
            ("answers.html#steady-states", "images/membrane.png", "A membrane over a corner"),
            ("answers.html#modes", "images/drum.png", "Modes of a drum"),
            ("answers.html#branches", "images/branch.png", "A branch with its fold"),
        ),
    ),
}
LOG = logging.getLogger("mkdocs.gallery")
HEAD = """# {title}

{what}

{math}

![{name}]({name}.png)

## As it moves

![{name}, a movie]({name}.gif)

## The code

```python no-run
import lrfm

problem = lrfm.catalog.{function}()
solution = lrfm.solve(problem, tol={tol:g})
solution.plot("{name}.png")
solution.animate("{name}.gif")
```

or `lrfm demo {name} --tol {tol:g}` in a terminal. The statement itself:

```python no-run
{statement}
```

## The report

```text
{report}
```
"""


def on_files(files, config):
    """Add a page, a picture and a movie for every problem, and the index."""
    cache = Path(config.config_file_path).parent / ".cache" / "gallery"
    cards: dict[str, list[str]] = {}
    chosen = os.environ.get("LRFM_GALLERY")
    for name in chosen.split(",") if chosen else catalog.names():
        made = _made(name, cache)
        for suffix in (".md", ".png", ".gif"):
            path = made / f"{name}{suffix}"
            if path.exists():
                content = path.read_text(encoding="utf-8") if suffix == ".md" else path.read_bytes()
                files.append(File.generated(config, f"gallery/{name}{suffix}", content=content))
        cards.setdefault(_group(name), []).append(_card(f"{name}.html", f"{name}.png", _title(name)))
    for group, (_, others) in GROUPS.items():
        cards.setdefault(group, []).extend(
            _card(f"../{page}", f"../{picture}", title) for page, picture, title in others
        )
    index = (
        "# Gallery\n\nEvery problem of the catalog, one word away: `lrfm demo NAME`, with the name on its page.\n"
        + "".join(
            # as it stands: read as Markdown, all cards would be one paragraph
            f'\n## {group}\n\n<div class="cards">\n' + "\n".join(cards[group]) + "\n</div>\n"
            for group in GROUPS
            if cards.get(group)
        )
    )
    files.append(File.generated(config, "gallery/index.md", content=index))
    return files


def _card(page: str, picture: str, title: str) -> str:
    return f'<a class="card" href="{page}"><img src="{picture}" alt="{title}" loading="lazy"><span>{title}</span></a>'


def _title(name: str) -> str:
    return next(found.title for found in catalog.entries() if found.name == name)


def _group(name: str) -> str:
    """The group that names a problem; patterns where none does, so that a new one is not left out."""
    return next((group for group, (names, _) in GROUPS.items() if name in names.split()), "Patterns")


def _made(name: str, cache: Path) -> Path:
    """The folder with what belongs to a problem; made if it is not there."""
    problem = catalog.get(name)
    told = next(found for found in catalog.entries() if found.name == name)
    mark = hashlib.sha256(
        f"{problem!r} {problem.boundary} {lrfm.__version__} {TOL} {HEAD} {told.summary} {told.source}".encode()
    ).hexdigest()[:16]
    folder = cache / f"{name}-{mark}"
    if not (folder / f"{name}.md").exists():
        folder.mkdir(parents=True, exist_ok=True)
        LOG.info("gallery: %s", name)
        _make(name, problem, folder)
    return folder


def _solved(problem: lrfm.Problem) -> tuple[lrfm.Solution, float]:
    """A solution and the tolerance it was asked for: a slow machine that has nothing after its time is asked for less."""
    for tol in (TOL, 1e1 * TOL):
        with contextlib.suppress(lrfm.ConvergenceError):
            return lrfm.solve(problem, tol=tol, max_seconds=SECONDS, strict=False), tol
    return lrfm.solve(problem, tol=1e2 * TOL, max_seconds=10 * SECONDS, strict=False), 1e2 * TOL


def _make(name: str, problem: lrfm.Problem, folder: Path) -> None:
    ignore_settings_of_folder()
    solution, tol = _solved(problem)
    solution.plot(folder / f"{name}.png")
    solution.animate(folder / f"{name}.gif", frames=FRAMES)
    from lrfm.problem.mathml import equation

    function = name.replace("-", "_")
    entry = next(found for found in catalog.entries() if found.name == name)
    page = HEAD.format(
        title=entry.title,
        what=f"`{name}`. {entry.summary} {entry.source}.",
        math="".join(equation(text) for text in problem.equations),
        name=name,
        function=function,
        tol=tol,
        statement=_statement(problem),
        report=str(solution.report),
    )
    (folder / f"{name}.md").write_text(page, encoding="utf-8")


def _statement(problem: lrfm.Problem) -> str:
    """The call of `lrfm.Problem`, with functions by their names."""
    equation = problem.equations[0] if len(problem.equations) == 1 else list(problem.equations)
    lines = [
        f"    {json.dumps(equation)},",
        f"    domain=lrfm.{problem.domain!r},",
        f"    time={problem.time!r},",
    ]
    for key in ("initial", "boundary", "parameters"):
        lines.append(f"    {key}={_shown(getattr(problem, key))},")
    names = [f"{name!r}: complex" for name, kind in problem.unknowns.items() if kind is complex]
    lines += [f"    unknowns={{{', '.join(names)}}},"] if names else []
    return "lrfm.Problem(\n" + "\n".join(lines) + "\n)"


def _shown(value: object) -> str:
    if callable(value):
        return getattr(value, "__name__", type(value).__name__)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_shown(item)}" for key, item in value.items()) + "}"
    return repr(value)
