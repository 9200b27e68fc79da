"""url -> Markdown"""

from webquarry.registry import make_callable

make_callable(__name__)  # `webquarry.read` is a function of the library too
