"""Names that moved between versions of Python."""
import urllib  # noqa: F401
import urllib.request  # noqa: F401
