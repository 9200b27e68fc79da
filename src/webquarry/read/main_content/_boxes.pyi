from webquarry.read.main_content.lifts import Array, Ints

def fill_table(
    table: Ints,
    parents: list[int],
    first: list[int],
    last: list[int],
    flags: list[int],
    levels: list[int],
) -> None: ...
def link_boxes(table: Ints, kind: Ints, names: Array, repeats: int) -> None: ...
