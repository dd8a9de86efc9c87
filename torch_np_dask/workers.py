"""What workers start with: this package, and a thread of the engine's each, since Dask divides the machine among them."""
from dask import config

# Dask sets the same for the libraries below NumPy. Variables of the environment, and the user's configuration, go before these.
ENVIRONMENT = {
    "TORCH_NP_NUM_THREADS": 1,
    # Freed memory that is kept for the next array. Without this it is an eighth of the machine's for each worker, which knows nothing of
    # the limit that Dask watches; two chunks of Dask's default size suffice for memory to be used again.
    "TORCH_NP_CPU_CACHE_LIMIT": 256 * 2**20,
}


def register() -> None:
    """Adds these to Dask's defaults, for the workers that a process with this package starts (`LocalCluster`)."""
    config.update_defaults({"distributed": {"worker": {"preload": ["torch_np_dask"]}, "nanny": {"pre-spawn-environ": ENVIRONMENT}}})
