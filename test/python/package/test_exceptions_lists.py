"""The lists of tests that fail on a device or under sanitizers name existing tests only."""
import pytest
from exceptions_lists import CUDA, GPU, SANITIZERS, VERIFIED, Entry, Exceptions

pytestmark = [pytest.mark.same_on_devices("reads lists of all tests"), pytest.mark.same_when_pending("reads lists of all tests")]


@pytest.mark.parametrize("exceptions", [CUDA, GPU, SANITIZERS, VERIFIED], ids=["cuda", "gpu", "sanitizers", "verified"])
def test_every_line_names_a_test(exceptions, request):
    config = request.config
    if any("::" in argument for argument in config.args) or config.option.keyword or config.option.markexpr or config.option.deselect:
        pytest.skip("not all tests of each file were collected")
    assert exceptions.dead([item.nodeid for item in request.session.items]) == []


def test_a_line_that_names_no_test_is_found():
    exceptions = Exceptions("""
        # comment
        test_views.py test_old*: renamed
        test_views.py test_flip*: exists
        test_gone.py *: no such file
        test_types.py test_x*: not collected, so not judged
    """)
    nodeids = ["test/python/numpy_face/test_views.py::test_flips[3]", "test_views.py::test_other"]
    assert exceptions.dead(nodeids) == ["test_views.py test_old*", "test_gone.py *"]
    assert exceptions.of(nodeids[0]) == [Entry("test_views.py test_flip*", "exists")]
