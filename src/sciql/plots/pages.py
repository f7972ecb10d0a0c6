"""The one look of pages, as style sheets that stand inside them."""

from importlib.resources import files

from sciql.plots.house import DARK, LIGHT


def base_style() -> str:
    """The style sheet of all pages, for light and dark screens."""
    return (files("sciql.plots") / "page.css").read_text(encoding="utf-8")


def style_colours() -> str:
    """The colours of styles as the variables --style0, --style1, ... of a style sheet."""
    light, dark = (
        " ".join(f"--style{number}: {colour};" for number, colour in enumerate(theme.styles)) for theme in (LIGHT, DARK)
    )
    return f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
