# SPDX-License-Identifier: MIT
"""The index of the search: every section of every page as plain text, in a script that any page can load, from a disk as well as from a server.

A hook of the documentation site. The theme's own search runs in a worker, which browsers refuse to pages opened from a disk; assets/search.js needs none.
"""

import html
import json
import re
from pathlib import Path

HEADING = re.compile(r'<h([1-6])[^>]*\bid="([^"]+)"[^>]*>(.*?)</h\1>', re.DOTALL)
DROPPED = re.compile(r'<a\b[^>]*class="headerlink".*?</a>|<(script|style|svg)\b.*?</\1>', re.DOTALL)
LONGEST = 4000  # characters of a section; tables of numbers say little after that
SECTIONS: dict[str, list[dict[str, str]]] = {}


def plain(markup: str) -> str:
    """Text without tags, in one line."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", DROPPED.sub("", markup)))).strip()


def sections(markup: str, url: str, title: str) -> list[dict[str, str]]:
    """A page cut at its headings: address, title and text of each part; what stands before the first belongs to the page.

    >>> sections('<h1 id="a">Heat</h1><p>u<sub>t</sub></p><h2 id="b">Data</h2><p>x &lt; 1</p>', "heat.html", "Heat")[1]
    {'url': 'heat.html#b', 'page': 'Heat', 'title': 'Data', 'text': 'x < 1'}
    """
    found = [(url, title, 0)]
    cuts = [0]
    for match in HEADING.finditer(markup):
        name = plain(match[3])
        if match[1] == "1" and len(found) == 1 and not cuts[0]:
            found[0], cuts[0] = (url, name or title, 0), match.end()
            continue
        found.append((f"{url}#{match[2]}", name, match.start()))
        cuts.append(match.end())
    ends = [start for _, _, start in found[1:]] + [len(markup)]
    return [
        {"url": address, "page": found[0][1], "title": name, "text": plain(markup[cut:end])[:LONGEST]}
        for (address, name, _), cut, end in zip(found, cuts, ends, strict=True)
    ]


def on_pre_build(**_: object) -> None:
    """Begin with an empty index."""
    SECTIONS.clear()


def on_page_content(markup: str, page, **_: object) -> str:
    """Take what a page says."""
    SECTIONS[page.url] = sections(markup, page.url, page.title)
    return markup


def on_post_build(config, **_: object) -> None:
    """Write all of it."""
    folder = Path(config.site_dir) / "search"
    folder.mkdir(exist_ok=True)
    parts = [part for url in sorted(SECTIONS) for part in SECTIONS[url]]
    data = json.dumps(parts, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    (folder / "index.js").write_text(f"window.lrfmSections = {data};\n", encoding="utf-8")
