"""Labels that touch, and parts that they lie in."""

import numpy as np
from adm_core.grid.adjacency import parts_of_labels, touching
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

images = arrays(
    np.uint16, st.tuples(st.integers(1, 8), st.integers(1, 8)), elements=st.integers(0, 4)
)


@given(images)
def test_touching_labels_are_those_with_a_common_edge(image):
    pairs = set()
    for (row, col), label in np.ndenumerate(image):
        for other in ((row + 1, col), (row, col + 1)):
            if other[0] < image.shape[0] and other[1] < image.shape[1]:
                pair = sorted((int(label), int(image[other])))
                if pair[0] > 0 and pair[0] != pair[1]:
                    pairs.add(tuple(pair))
    assert touching(image) == sorted(pairs)


def test_a_label_belongs_to_the_part_with_most_of_its_cells():
    mask = np.array([[1, 1, 0, 1, 1, 1], [0, 0, 0, 0, 0, 0], [1, 0, 1, 1, 0, 0]], bool)
    labels = np.array([[1, 2, 2, 2, 2, 3], [5, 5, 5, 5, 5, 5], [1, 0, 4, 4, 0, 0]], np.uint16)
    homes = parts_of_labels(mask, labels)
    assert homes[2] == homes[3] and homes[4] not in (homes[1], homes[2])
    assert homes[1] == 1  # a tie goes to the part that comes first
    assert 5 not in homes and 0 not in homes


def test_nothing_belongs_nowhere():
    assert parts_of_labels(np.zeros((2, 2), bool), np.ones((2, 2), np.uint8)) == {}
    assert touching(np.zeros((1, 1), np.uint8)) == []
