"""Settings of Dask workers: they import this package and use one engine thread each, since Dask
assigns processors to workers.
"""
from dask import config

# Dask sets the like for the libraries below NumPy. Environment variables and the user's
# configuration take precedence.
ENVIRONMENT = {
    "TORCH_NP_NUM_THREADS": 1,
    # Bytes of freed memory cached for reuse. By default each worker would cache an eighth of the
    # machine's memory, which Dask's own memory limit does not know of. Two chunks of Dask's default
    # size suffice.
    "TORCH_NP_CPU_CACHE_LIMIT": 256 * 2**20,
}


def register() -> None:
    """Adds these settings to Dask's defaults, for the workers that this process starts
    (`LocalCluster`).
    """
    config.update_defaults({"distributed": {"worker": {"preload": ["torch_np_dask"]}, "nanny": {"pre-spawn-environ": ENVIRONMENT}}})
