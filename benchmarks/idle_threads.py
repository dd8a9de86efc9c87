"""Waiting until nobody else's threads spin."""
import time


def wait_for_idle_threads(limit=1.0):
    """Returns when threads of this process have stopped to use the processor, or after `limit` seconds.

    Pools of threads wait for more work by spinning: OpenBLAS's for some tenths of a second after a product, OpenMP's up to
    200 ms. On as many cores as there are threads, that is in the way of the library that is timed next.
    """
    piece = 0.01
    end = time.perf_counter() + limit
    while time.perf_counter() < end:
        used = time.process_time()
        time.sleep(piece)
        if time.process_time() - used < piece / 10:
            return
