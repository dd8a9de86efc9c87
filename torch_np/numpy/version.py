"""numpy.version: of the NumPy whose interface this is."""
from numpy.version import full_version, git_revision, release, short_version, version

__all__ = ["full_version", "git_revision", "release", "short_version", "version"]
