"""Runs functions at the same time, for tests of threads."""
import threading


def together(*works):
    """Runs the functions, each in its own thread, and raises the exception of one of them."""
    errors = []

    def guarded(work):
        try:
            work()
        except BaseException as e:
            errors.append(e)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if errors:
        raise errors[0]
