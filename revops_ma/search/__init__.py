"""The exact worst that a second role can do to a first one: branch and bound over whole games.

Each turn of the second role either passes or strikes with one entry of its `menu`. All sequences
with a limited number of strikes are searched, many games at a time, depth first: games with the
same past are played once, dead ones are dropped. Two questions are asked and answered apart,
because the worst return need not be a loss and a loss need not be the worst return:

* `lowest`: which sequence leaves the first role the lowest return? A game that could not end below
  the lowest found so far, whatever comes, is cut (`World.least`).
* `losable`: is there a sequence after which the first role does not win? Nothing is cut.

Luck is keyed, so an agent that throws dice throws the same ones in every branch: the answer is
exact for the luck of each game. Where the node limit stops a search, the answer says how far it may
be from the truth.
"""

from revops_ma.search.found import Found
from revops_ma.search.jobs import in_threads
from revops_ma.search.tree import NODE_LIMIT, Search

__all__ = ["NODE_LIMIT", "Found", "Search", "in_threads"]
