from webquarry._read.main_content.buffers import Rows

def fill_table(
    table: Rows,
    parents: list[int],
    first: list[int],
    last: list[int],
    flags: list[int],
    levels: list[int],
) -> None: ...
def link_boxes(table: Rows, kind: Rows, names: Rows, repeats: int) -> None: ...
