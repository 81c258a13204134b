"""The pages in a real browser: no errors, all charts there, readable in both themes."""

import re
import struct
import zlib

import numpy as np
import pytest

from revops_ma.report.collect import collect
from revops_ma.run import Run


def pixels(path):
    """Read an 8-bit RGB or RGBA PNG without interlacing: [height, width, channels]."""
    raw = path.read_bytes()
    width, height, depth, kind = struct.unpack(">IIBB", raw[16:26])
    assert depth == 8
    channels = {2: 3, 6: 4}[kind]
    data, at = b"", 8
    while at < len(raw):
        (size,) = struct.unpack(">I", raw[at : at + 4])
        if raw[at + 4 : at + 8] == b"IDAT":
            data += raw[at + 8 : at + 8 + size]
        at += size + 12
    lines = np.frombuffer(zlib.decompress(data), np.uint8).reshape(height, width * channels + 1)
    image = np.zeros((height, width * channels), np.uint8)
    for row, line in enumerate(lines):
        above = image[row - 1] if row else np.zeros_like(image[0])
        image[row] = _unfiltered(int(line[0]), line[1:], above, channels)
    return image.reshape(height, width, channels)[..., :3]


def _unfiltered(kind, line, above, step):
    if kind == 0:
        return line
    if kind == 2:
        return line + above
    if kind == 1:
        by_pixel = line.reshape(-1, step).astype(np.uint64)
        return by_pixel.cumsum(axis=0).astype(np.uint8).reshape(-1)
    out = np.zeros(len(line) + step, np.int64)
    up = np.concatenate([np.zeros(step, np.int64), above.astype(np.int64)])
    for at in range(step, len(out)):
        a, b, c = out[at - step], up[at], up[at - step]
        if kind == 3:
            guess = (a + b) // 2
        else:
            p = a + b - c
            guess = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
        out[at] = (int(line[at - step]) + guess) % 256
    return out[step:].astype(np.uint8)


def charts(dom, kind):
    return len(re.findall(rf'<svg[^>]*class="chart {kind}\b', dom))


def test_a_match_has_all_its_charts(browser, match_page, match_run):
    dom = browser.dom(match_page)
    traces, sampled = 7, 3
    assert charts(dom, "lines") == 1 + traces * sampled
    assert charts(dom, "shares") == charts(dom, "ridges") == 1
    assert charts(dom, "bars") == 2
    assert charts(dom, "roll") == sampled
    # Rewards and regrets of each sample.
    assert charts(dom, "columns") == 2 * sampled
    assert charts(dom, "heatmap") == 0
    horizon = collect(Run(match_run)).horizon
    survival = dom.split('class="chart lines"')[1].split("</svg>")[0]
    assert survival.count('class="hit"') == horizon + 1


def test_a_tournament_has_a_panel_per_agent_and_a_cell_per_matchup(browser, cup_page):
    dom = browser.dom(cup_page)
    assert charts(dom, "heatmap") == 2
    assert len(re.findall(r'<g class="cell', dom)) == 2 * 6
    assert charts(dom, "intervals") == 2
    assert charts(dom, "shares") == charts(dom, "ridges") == 3
    assert charts(dom, "bars") == 2 + 3 + 2
    survival = dom.split('id="survival"')[1].split("</section>")[0]
    assert survival.count('class="series') == 6
    assert 'id="tip"' in dom


@pytest.mark.parametrize(("theme", "paper"), [("light", (255, 255, 255)), ("dark", (21, 24, 28))])
@pytest.mark.parametrize("which", ["match_page", "cup_page"])
def test_the_page_is_drawn_in_both_themes(browser, tmp_path, request, which, theme, paper):
    page = request.getfixturevalue(which)
    image = pixels(browser.picture(page, tmp_path / "page.png", theme, "900,1200"))
    is_paper = (np.abs(image.astype(int) - paper).max(axis=2) <= 2).mean()
    assert 0.5 < is_paper < 0.98
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 50


def test_the_theme_of_the_address_wins(browser, match_page):
    assert 'data-theme="dark"' in browser.dom(match_page, "dark")[:200]
    assert 'data-theme="light"' in browser.dom(match_page, "light")[:200]


def test_nothing_is_wider_than_a_phone(browser, match_page, cup_page, tmp_path):
    for page in (match_page, cup_page):
        probe = tmp_path / f"{page.parent.name}.html"
        probe.write_text(_PROBE.format(page=page.resolve().as_uri()), encoding="utf-8")
        measured = re.search(r"<output>(\d+) of (\d+)</output>", browser.loose_dom(probe))
        assert measured, "the probe did not run"
        assert int(measured[1]) <= int(measured[2])


def test_a_pointer_gets_the_tooltip_and_the_button_switches_the_theme(
    browser, match_page, tmp_path
):
    probe = tmp_path / "probe.html"
    page = f"{match_page.resolve().as_uri()}#light"
    probe.write_text(_POINTER.format(page=page), encoding="utf-8")
    told = re.search(r"<output>(.*?)</output>", browser.loose_dom(probe), re.DOTALL)
    assert told
    assert told[1].startswith("month 0")
    assert told[1].endswith("dark")


_POINTER = """<!doctype html><body><iframe src="{page}" width="900" height="800"></iframe>
<output></output>
<script>
addEventListener("load", () => {{
  const page = document.querySelector("iframe").contentDocument;
  page.querySelector(".hit").dispatchEvent(new PointerEvent("pointermove", {{ bubbles: true }}));
  page.getElementById("theme").click();
  const told = page.getElementById("tip").textContent;
  const {{ theme }} = page.documentElement.dataset;
  document.querySelector("output").textContent = `${{told}} ${{theme}}`;
}});
</script></body>"""

_PROBE = """<!doctype html><body><iframe src="{page}" width="380" height="800"></iframe>
<output></output>
<script>
addEventListener("load", () => {{
  const root = document.querySelector("iframe").contentDocument.documentElement;
  document.querySelector("output").textContent = `${{root.scrollWidth}} of ${{root.clientWidth}}`;
}});
</script></body>"""
