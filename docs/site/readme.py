# SPDX-License-Identifier: MIT
"""What the site takes from outside of docs/: the README as its first page, and the figures of benchmarks. A hook of the documentation site."""

import re
from pathlib import Path

from mkdocs.structure.files import File

RESULTS = "../benchmarks/results/"
CLICKS = """[Tutorial](tutorial.md){ .md-button .md-button--primary }
[Gallery](gallery/index.md){ .md-button }
[Writing a problem](language.md){ .md-button }
[Benchmarks](field.md){ .md-button }
[The studio](studio.md){ .md-button }"""


def on_page_markdown(markdown: str, page, config, **_: object) -> str:
    """Figures of benchmarks are found in the site under results/; words after the language of a block are for the tests; pages are called by their titles."""
    markdown = re.sub(r"^( *```\w+) [\w-]+$", r"\1", markdown, flags=re.MULTILINE)
    folder = (Path(config.docs_dir) / page.file.src_uri).parent
    markdown = re.sub(
        r"\[[\w./-]+\.md\]\(([\w./-]+\.md)(#[\w-]+)?\)", lambda link: titled(link, folder), markdown
    )
    return markdown.replace(f"]({RESULTS}", "](results/")


def titled(link: re.Match[str], folder: Path) -> str:
    """``[shocks.md](shocks.md#in-boxes)`` with the title of the page in the place of its file."""
    path = folder / link[1]
    first = path.read_text(encoding="utf-8").splitlines()[0] if path.exists() else ""
    return f"[{first.removeprefix('# ')}]({link[1]}{link[2] or ''})" if first.startswith("# ") else link[0]


def on_files(files, config):
    """Add index.md, and the figures."""
    root = Path(config.config_file_path).parent
    text = (root / "README.md").read_text(encoding="utf-8")
    text = re.sub(r"\]\(docs/", "](", text).replace("](benchmarks/results/", "](results/")
    text = re.sub(r'(src|href)="docs/', r'\1="', text)
    # Files of the repository that are no pages are named, not linked.
    text = re.sub(r"\[([^\]]+)\]\((?!https?:|[\w/-]+\.md|#|assets/|images/|results/)[^)]*\)", r"\1", text)
    text = re.sub(r"`docs/(\w+)\.md`", r"[\1](\1.md)", text)
    # What can be clicked, after the picture: the rest of the page is the README.
    picture = next(line for line in text.splitlines() if line.startswith("!["))
    text = text.replace(picture, f"{picture}\n\n{CLICKS}", 1)
    files.append(File.generated(config, "index.md", content=text))
    results = root / "benchmarks" / "results"
    for path in results.rglob("*.png"):
        files.append(
            File.generated(
                config, f"results/{path.relative_to(results).as_posix()}", content=path.read_bytes()
            )
        )
    return files
