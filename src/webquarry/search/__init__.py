"""query -> results"""

from webquarry.registry import make_callable

make_callable(__name__)  # `webquarry.search` is a function of the library too
