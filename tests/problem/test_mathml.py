# SPDX-License-Identifier: MIT
"""MathML is well formed, keeps the meaning of brackets, and lets nothing through that is not a formula."""

import xml.etree.ElementTree as ET

import pytest

from lrfm import catalog
from lrfm.problem.mathml import equation, readable


def plain(text):
    return "".join(ET.fromstring(equation(f"u_t = {text}").replace("&#8290;", "")).itertext()).removeprefix(
        "ut="
    )


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("a - (b - c)", "a−(b−c)"),
        ("a - b - c", "a−b−c"),
        ("(a + b)*c", "(a+b)c"),
        ("a*b + c", "ab+c"),
        ("-(a + b)", "−(a+b)"),
        ("(a*b)**2", "(ab)2"),
        ("eps*u_xx", "εuxx"),
        ("1e-4*u", "10−4u"),
        ("2.5e3*u", "2500u"),
        ("2.5e-7*u", "2.5⋅10−7u"),
        ("0.001*u", "0.001u"),
        ("1e999*u", "∞u"),
        ("5e-324*u", "4.94066⋅10−324u"),
        ("lap(u)", "Δu"),
        ("lap(u + v)", "Δ(u+v)"),
        ("abs(psi)**2", "|ψ|2"),
        ("1j*u", "iu"),
        ("-0.5*u", "−0.5u"),
        ("a*(-0.5*u)", "a(−0.5u)"),
        ("diff(k*u_x, x)", "∂x(kux)"),
    ],
)
def test_meaning_is_kept(text, drawn):
    assert plain(text) == drawn


def test_every_equation_of_the_catalog_is_well_formed():
    for name in catalog.names():
        for text in catalog.get(name).equations:
            root = ET.fromstring(equation(text))
            assert root.tag == "math"
            assert len(root.findall(".//mfrac")) == text.count("/")


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", "u_t = <b>", "u_t = 'x'", "", "u_t =", "-" * 3000 + "u"]
)
def test_what_is_not_a_formula_is_not_drawn(text):
    assert readable(text) is None
