"""What the site has beyond docs/: three pages from elsewhere in the source, their links turned, and casts that play."""

import os
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
# Pages that lie elsewhere: where they lie, and their name in the site.
PAGES = {"ARCHITECTURE.md": "architecture.md", "adapters/README.md": "adapters.md", "CHANGELOG.md": "changes.md"}
PLAYER = ROOT / "target/site-build/player"
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s:#]+)(#[^)]*)?\)")
PLAY = """document.addEventListener("DOMContentLoaded", () => {
  for (const link of document.querySelectorAll('a[href$=".cast"]')) {
    const place = document.createElement("div");
    link.closest("li, p").append(place);
    AsciinemaPlayer.create(link.href, place, {idleTimeLimit: 2, preload: true, fit: "width", poster: "npt:0:04"});
  }
});
"""


def on_files(files, config):
    for source, name in PAGES.items():
        files.append(File.generated(config, name, content=(ROOT / source).read_text(encoding="utf-8")))
    for part in ("asciinema-player.css", "asciinema-player.min.js"):
        files.append(File.generated(config, f"player/{part}", abs_src_path=str(PLAYER / part)))
    files.append(File.generated(config, "player/play.js", content=PLAY))
    return files


def on_page_markdown(markdown, page, config, files):
    """Links that leave docs/ lead to the page of the site; of a file that has none its name is left."""
    sources = {name: source for source, name in PAGES.items()}
    here = Path(sources.get(page.file.src_uri, f"docs/{page.file.src_uri}")).parent

    def turned(link):
        text, path, anchor = link[1], link[2], link[3] or ""
        target = os.path.normpath(here / path)
        if not (ROOT / target).exists():
            return link[0]
        name = PAGES.get(target) or (target.removeprefix("docs/") if target.startswith("docs/") else None)
        return f"[{text}]({os.path.relpath(name, Path(page.file.src_uri).parent)}{anchor})" if name else text

    return LINK.sub(turned, markdown)
