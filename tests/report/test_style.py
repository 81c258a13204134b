"""Colours that everybody can tell apart, in both themes."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

import revops_ma.report as report_package

CSS = (Path(report_package.__file__).parent / "style.css").read_text(encoding="utf-8")
COLOURS = {
    name: pair for name, *pair in re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", CSS)
}
SERIES = [f"s{index}" for index in range(1, 9)]
LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
EYES = {
    "usual": np.eye(3),
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
}
"""Linear RGB as it is seen with full dichromacy (Machado, Oliveira and Fernandes 2009)."""


def linear(name, theme):
    value = COLOURS[name][theme] if name in COLOURS else name
    channels = np.array([int(value[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    weights = np.array([0.2126, 0.7152, 0.0722])
    dark, light = sorted((float(one @ weights), float(other @ weights)))
    return (light + 0.05) / (dark + 0.05)


def oklab(rgb):
    return LAB @ np.cbrt(LMS @ np.clip(rgb, 0, 1))


def mixed(one, other, share):
    lab = oklab(one) * (1 - share) + oklab(other) * share
    return np.clip(np.linalg.inv(LMS) @ (np.linalg.inv(LAB) @ lab) ** 3, 0, 1)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
class TestTheme:
    def test_text_stands_out(self, theme):
        for name in ("ink", "soft"):
            for ground in ("paper", "raised"):
                assert contrast(linear(name, theme), linear(ground, theme)) >= 4.5

    def test_lines_and_areas_stand_out(self, theme):
        for name in (*SERIES, "edge"):
            assert contrast(linear(name, theme), linear("paper", theme)) >= 2.99, name

    def test_labels_inside_of_areas_can_be_read(self, theme):
        black = {"s3", "s6", "s8"}
        for name in SERIES:
            label = "#000000" if name in black else "on-strong"
            assert contrast(linear(name, theme), linear(label, theme)) >= 4.5, name

    def test_numbers_on_a_heat_map_can_be_read(self, theme):
        black, strong = {"p7", "p8", "n7", "n8", "n9"}, {"p9", "p10", "n10"}
        for level in range(11):
            for side, tone in (("p", "cool"), ("n", "warm")):
                name = f"{side}{level}"
                label = "#000000" if name in black else "on-strong" if name in strong else "on-weak"
                ground = mixed(linear("raised", theme), linear(tone, theme), level / 10)
                assert contrast(ground, linear(label, theme)) >= 4.5, name

    @pytest.mark.parametrize("eyes", EYES)
    def test_series_can_be_told_apart(self, theme, eyes):
        seen = {name: oklab(np.array(EYES[eyes]) @ linear(name, theme)) for name in SERIES}
        for one, other in itertools.combinations(SERIES, 2):
            assert np.linalg.norm(seen[one] - seen[other]) >= 0.06, (one, other)
