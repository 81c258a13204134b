"""Names of companies and people for generated tickets; every one is made up."""

from __future__ import annotations

from revops_ma.worlds.finops.dice import Dice

_FIRST = (
    *("Amber", "Birch", "Cobalt", "Delta", "Ember", "Falcon", "Garnet", "Harbor", "Indigo"),
    *("Juniper", "Kestrel", "Lumen", "Meridian", "Nimbus", "Onyx", "Pioneer", "Quartz"),
    *("Raven", "Sierra", "Tundra", "Umber", "Vertex", "Willow", "Xenon", "Yarrow", "Zephyr"),
)
_SECOND = (
    *("Analytics", "Bakery", "Cargo", "Dental", "Electric", "Foods", "Gardens", "Hotels"),
    *("Imaging", "Joinery", "Labs", "Media", "Networks", "Optics", "Printing", "Robotics"),
    *("Software", "Textiles", "Utilities", "Ventures", "Works"),
)
_FORMS = ("Inc", "LLC", "Ltd", "Group")
_GIVEN = (
    *("Ada", "Ben", "Cleo", "Dara", "Eli", "Fay", "Gus", "Hana", "Ian", "Jo", "Kai", "Lea"),
    *("Max", "Nia", "Ola", "Pia", "Quinn", "Rex", "Sia", "Tom", "Uma", "Vic", "Wes", "Zoe"),
)
_FAMILY = (
    *("Abbot", "Bauer", "Costa", "Dunn", "Ekman", "Frost", "Green", "Hobbs", "Ito", "Jansen"),
    *("Klein", "Lopez", "Marsh", "Novak", "Okoye", "Price", "Reyes", "Sato", "Tran", "Voss"),
)


def companies(dice: Dice, count: int) -> list[str]:
    """Different company names; none contains another."""
    found: dict[str, str] = {}
    while len(found) < count:
        stem = f"{dice.pick(_FIRST)} {dice.pick(_SECOND)}"
        found.setdefault(stem, f"{stem} {dice.pick(_FORMS)}")
    return list(found.values())


def near_names(name: str) -> list[str]:
    """Names that are easily taken for a company's; a search for it finds them too."""
    return [f"{name} Holdings", f"{name} (Europe)", f"{name} Partners", f"New {name}", f"{name}."]


def people(dice: Dice, count: int) -> list[str]:
    """Different names of people."""
    found: dict[str, None] = {}
    while len(found) < count:
        found.setdefault(f"{dice.pick(_GIVEN)} {dice.pick(_FAMILY)}")
    return list(found)


def address(name: str) -> str:
    """An e-mail address for a name."""
    return "".join(char if char.isalnum() else "." for char in name.casefold()) + "@mail.example"
