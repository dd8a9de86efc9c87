"""Waits until the threads of other libraries stop spinning."""
import time


def wait_for_idle_threads(limit=1.0):
    """Returns when the threads of this process stop using the processor, or after `limit` seconds.

    Thread pools wait for more work by spinning: OpenBLAS's for some tenths of a second after a
    product, OpenMP's up to 200 ms. If there are as many cores as threads, this slows down the
    library that is timed next.
    """
    piece = 0.01
    end = time.perf_counter() + limit
    while time.perf_counter() < end:
        used = time.process_time()
        time.sleep(piece)
        if time.process_time() - used < piece / 10:
            return
