"""Annotated shapes of jaxtyping."""
PROJECT = "jaxtyping"
TASK = "shapes and dtypes in annotations, checked at run time"


def job():
    import torch
    from jaxtyping import Bool, Float, Int, TypeCheckError, jaxtyped
    from typeguard import typechecked

    from packages.values import wave

    @jaxtyped(typechecker=typechecked)
    def scaled(x: Float[torch.Tensor, "n m"], y: Float[torch.Tensor, " m"]) -> Float[torch.Tensor, "n m"]:  # noqa: F722
        return x * y

    try:
        scaled(wave(2, 3), wave(4))
        error = "none"
    except TypeCheckError as found:
        error = type(found).__name__
    return {"result": scaled(wave(2, 3), wave(3)), "error": error, "kinds": [isinstance(torch.ones(2, dtype=torch.int32), Int[torch.Tensor, "2"]),
            isinstance(torch.ones(2), Int[torch.Tensor, "2"]), isinstance(torch.ones(2) > 0, Bool[torch.Tensor, "2"])]}
