"""Identifies the processor, as reported by `lscpu`, for reports of timings and failures.

    python tools/processor.py
"""
import os
import platform
import subprocess

# Keys of `describe()` and the corresponding fields of `lscpu`, in the order of `line()`.
FIELDS = {"vendor": "Vendor ID", "name": "Model name", "family": "CPU family", "model": "Model"}


def describe() -> dict[str, str]:
    """vendor, name, family, model, cores. Fields that the machine does not report are missing (Arm
    has no family)."""
    try:
        text = subprocess.run(["lscpu"], env=os.environ | {"LC_ALL": "C"}, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        text = ""
    return from_lscpu(text) or {"name": platform.processor() or platform.machine(), "cores": str(os.cpu_count())}


def from_lscpu(text: str) -> dict[str, str]:
    fields = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in text.splitlines())}
    found = {key: fields[field] for key, field in FIELDS.items() if fields.get(field, "-") != "-"}
    if found and fields.get("CPU(s)"):
        found["cores"] = fields["CPU(s)"]
    return found


def line(processor: dict[str, str]) -> str:
    """A one-line description: `AuthenticAMD, AMD EPYC, family 25, model 17, 2 cores`"""
    words = [processor[key] if key in ("vendor", "name") else f"{key} {processor[key]}" for key in FIELDS if key in processor]
    cores = processor.get("cores")
    return ", ".join(words + ([f"{cores} core{'s' * (cores != '1')}"] if cores else []))


if __name__ == "__main__":
    print(line(describe()))
