"""Devices of storages: their names in files, and where `load` puts them."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

MapLocation = Any  # a device, its name, a dictionary of such names, or a function of a storage and a name
_packages: list[tuple[int, Callable[..., Any], Callable[..., Any]]] = []


def register_package(priority: int, tagger: Callable[[Any], str | None], deserializer: Callable[[Any, str], Any]) -> None:
    """Registers the names and the storages of a kind of devices.

    Args:
      priority: Place among the registered kinds, the lowest first. Those below 100 come before the
        kinds that are here.
      tagger: Function of a storage that returns the name of its device in files, or None.
      deserializer: Function of a CPU storage and a name that returns the storage to use, or None.
    """
    _packages.append((priority, tagger, deserializer))
    _packages.sort(key=lambda entry: entry[0])


def has_packages() -> bool:
    """Whether a kind of devices was registered."""
    return bool(_packages)


def location_tag(storage: Any) -> str:
    """Returns the name of a storage's device in files, such as 'cpu' or 'cuda:0'.

    Args:
      storage: The storage.
    """
    for _, tagger, _ in _packages:
        found = tagger(storage)
        if found:
            return found
    return str(storage.device)


def validate_cuda_device(location: str) -> int:
    """Returns the index of a GPU.

    Args:
      location: Its name, 'cuda' or 'cuda:1'.

    Errors: RuntimeError without a GPU, and for an index that no GPU has.
    """
    import torch_np

    if not torch_np.cuda.is_available():
        raise RuntimeError("Attempting to deserialize object on a CUDA device but torch_np.cuda.is_available() is False. If you are "
                           "running on a CPU-only machine, please use torch_np.load with map_location='cpu'.")
    device, count = torch_np.device(location), torch_np.cuda.device_count()
    index = torch_np.cuda.current_device() if device.index is None else device.index
    if index >= count:
        raise RuntimeError(f"Attempting to deserialize object on CUDA device {index} but torch_np.cuda.device_count() is {count}. Please use "
                           "torch_np.load with map_location to map your storages to an existing device.")
    return index


def default_restore_location(storage: Any, location: str) -> Any:
    """Returns a CPU storage on the device that a file names.

    Args:
      storage: The storage.
      location: Name of the device.

    Errors: RuntimeError for an unknown device, and for a GPU that does not exist.
    """
    import torch_np

    for _, _, deserializer in _packages:
        found = deserializer(storage, location)
        if found is not None:
            return found
    try:
        device = torch_np.device(location)
    except (RuntimeError, ValueError, TypeError) as error:
        raise RuntimeError(f"don't know how to restore data location of {type(storage).__name__} (tagged with {location})") from error
    if device.type == "cpu":
        return storage
    if device.type == "cuda":
        validate_cuda_device(location)
    return torch_np.UntypedStorage._of(storage._bytes.to(device))


def locate(map_location: MapLocation) -> Callable[[Any, str], Any]:
    """A function from a CPU storage and its device name in the file to the storage on its target
    device.
    """
    import torch_np

    if map_location is None:
        return default_restore_location
    if isinstance(map_location, dict):
        return lambda storage, name: default_restore_location(storage, str(map_location.get(name, name)))
    if callable(map_location) and not isinstance(map_location, torch_np.device):
        def chosen(storage, name):
            found = map_location(storage, name)
            if isinstance(found, torch_np.TypedStorage):
                found = found.untyped()
            return default_restore_location(storage, name) if found is None else found
        return chosen
    torch_np.device(map_location)  # raises for an invalid device
    return lambda storage, name: default_restore_location(storage, str(map_location))
