"""Ways in for other frameworks: each adapter is a thin translator that drives a Table.

An adapter knows a framework and the nouns of `revops_ma.game`; it knows no world. Frameworks are
imported by the adapter that speaks them, never by this package.
"""
