"""Progress is told to whoever listens and costs nothing otherwise."""

from contextlib import contextmanager

from revops_ma.progress import listening, track


def test_nobody_has_to_listen():
    with track("episodes", 10) as advance:
        advance(3)


def test_a_listener_hears_what_how_much_and_every_advance():
    heard = []

    @contextmanager
    def listener(what, total):
        heard.append((what, total))
        yield heard.append
        heard.append("done")

    with listening(listener), track("episodes", 10) as advance:
        advance(3)
        advance(7)
    with track("more", 1) as advance:
        advance(1)
    assert heard == [("episodes", 10), 3, 7, "done"]
