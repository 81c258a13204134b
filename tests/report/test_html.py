import pytest

from revops_ma.report import html as h
from revops_ma.report.html import Markup, element, number


def test_texts_and_attributes_are_escaped():
    nasty = '<img src=x onerror="alert(1)">'
    made = h.p(nasty, title=nasty)
    assert made == (
        '<p title="&lt;img src=x onerror=&quot;alert(1)&quot;&gt;">'
        '&lt;img src=x onerror="alert(1)"&gt;</p>'
    )


def test_markup_is_kept_and_lists_are_flattened():
    assert h.ul(h.li(name) for name in ("a", "b")) == "<ul><li>a</li><li>b</li></ul>"
    assert h.p(Markup("<b>x</b>"), None, 3) == "<p><b>x</b>3</p>"


def test_attributes_are_spelt_as_html_spells_them():
    assert h.rect(class_="fill", stroke_width=1.5) == '<rect class="fill" stroke-width="1.5"/>'
    assert h.details(open=True) == "<details open></details>"
    assert h.details(open=False, id=None) == "<details></details>"


def test_an_element_without_children_still_ends():
    assert element("span") == "<span></span>"
    assert h.circle(h.title("x"), r=1) == '<circle r="1"><title>x</title></circle>'


@pytest.mark.parametrize(
    ("value", "written"), [(1.0, "1"), (0.126, "0.13"), (-0.001, "0"), (100.0, "100")]
)
def test_coordinates_are_short(value, written):
    assert number(value) == written
