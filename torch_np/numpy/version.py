"""numpy.version: the version of NumPy whose interface this package has."""
from numpy.version import full_version, git_revision, release, short_version, version

__all__ = ["full_version", "git_revision", "release", "short_version", "version"]
