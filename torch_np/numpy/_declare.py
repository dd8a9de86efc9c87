"""What a composition says of itself to `_overrides`, beside its definition."""


def base_class(function):
    """Its results are of the base class in NumPy, whatever the class of the first argument."""
    function._base_class = True
    return function


def takes_arrays(function):
    """Its first argument is a list of arrays, any of which may override it."""
    function._takes_arrays = True
    return function
