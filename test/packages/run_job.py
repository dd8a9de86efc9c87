"""`python -m torch_np -m packages.run_job NAME`: runs a job, and prints its results as JSON after a
line of dashes."""
from __future__ import annotations

import importlib
import json
import sys

BEGIN = "---- results ----"


def main() -> None:
    """Runs the job that the command line names."""
    import torch

    from packages import values

    torch.manual_seed(0)
    job = importlib.import_module(f"packages.jobs.{sys.argv[1]}")
    results = {name: values.described(value) for name, value in job.job().items()}
    print(BEGIN)
    print(json.dumps(results))


if __name__ == "__main__":
    main()
