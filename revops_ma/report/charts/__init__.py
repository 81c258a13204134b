"""Charts as SVG: pure functions from figures to Markup."""
