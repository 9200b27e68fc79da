"""`install`: adds our functions to a DuckDB connection and the database behind it.

Functions belong to the database, macros to the connection. A function of the database returns the
number of our instance, so that two names of one database are not two instances.

DuckDB calls a function by a bare pointer and releases it when the connection that registered it is
closed, although other connections still see the function. So our functions are never released (they
are small); a marker function, which we do not keep alive, shows when a connection was closed.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from webquarry.ask.keys import MODEL_KEY, SEARCH_KEY
from webquarry.errors import BadInput
from webquarry.settings import Settings
from webquarry.sql import asking, setters
from webquarry.sql.function import INNER, Function, translate_errors
from webquarry.sql.instance import Instance, watcher
from webquarry.sql.tool_functions import build_tool_functions
from webquarry.sql.types import ValueType, build_sql_type, load_library, require_libraries

_INSTANCE_FUNCTION = f"{INNER}instance"  # returns the number of the database's instance
_LOCK = threading.RLock()
_INSTANCES: list[Instance] = []  # by number; never released, see above
_KEPT_ALIVE: list[Callable[..., Any]] = []
_LEASE_NUMBERS = itertools.count(1)


@cache
def all_functions() -> tuple[Function, ...]:
    """Return the functions that ask, those that set, and those of the tools."""
    return (*asking.FUNCTIONS, *setters.FUNCTIONS, *build_tool_functions())


class _Marker:
    """A function that is never called; it lives as long as the connection that registered it."""

    def __call__(self, *columns: Any) -> Any:
        return columns[0]


class _Lease:
    """One connection that may use the functions, and the functions that it registered."""

    def __init__(self, connection: Any, instance: Instance) -> None:
        self.connection = weakref.ref(connection)
        self.instance = instance
        self.names: list[str] = []

    def register(
        self,
        name: str,
        function: Callable[..., Any],
        value_type: ValueType,
        parameters: Sequence[str] | None = None,
        *,
        volatile: bool = True,
        keep: bool = True,
    ) -> None:
        """Register a function that sees NULLs; without `parameters` it takes any number of Arrow
        columns.
        """
        connection = self.connection()
        assert connection is not None
        if keep:
            _KEPT_ALIVE.append(function)
        kind = {"type": "arrow"} if parameters is None else {}
        connection.create_function(
            name,
            function,
            parameters,
            connection.type(build_sql_type(value_type)),
            null_handling="special",
            side_effects=volatile,
            **kind,
        )
        self.names.append(name)

    def end(self) -> None:
        """Remove the functions: at the end of the process they would be reported as leaks."""
        connection = self.connection()
        if connection is None:
            return
        for name in self.names:
            with contextlib.suppress(Exception):  # it is closed or busy
                connection.remove_function(name)


_LEASES: dict[int, _Lease] = {}


def install(
    connection: Any,
    *,
    api_key: str | None = None,
    brave_api_key: str | None = None,
    settings: Settings | None = None,
    environ: Mapping[str, str] | None = None,
) -> Instance:
    """Add our functions to a connection and its database. Repeated calls only set the given
    keys.
    """
    require_libraries()
    # DuckDB's own connection, where a library (SQLAlchemy) passes a wrapper that may end earlier.
    connection = getattr(connection.create_function, "__self__", connection)
    with _LOCK:
        instance = find_instance(connection)
        if instance is None:
            environ = os.environ if environ is None else environ
            instance = Instance(settings or Settings.from_environment(environ), environ)
            _register_all(connection, instance)
        else:
            _get_lease(connection, instance)
        watcher.watch(instance.interrupt)
        for function in all_functions():
            for macro in function.macros():
                connection.execute(macro).fetchall()
        for macro in asking.TABLE_MACROS:
            connection.execute(macro).fetchall()
    for variable, key in ((MODEL_KEY, api_key), (SEARCH_KEY, brave_api_key)):
        if key is not None:
            instance.set_key(variable, key)
    return instance


def find_instance(connection: Any) -> Instance | None:
    """Return the instance of the database behind a connection, if our functions are there."""
    with connection.cursor() as cursor:  # an error there does not abort the user's transaction
        try:
            found = cursor.execute(f"SELECT {_INSTANCE_FUNCTION}()").fetchall()
        except load_library("duckdb").CatalogException:
            return None
    number: int = found[0][0]
    return _INSTANCES[number]


def _register_all(connection: Any, instance: Instance) -> None:
    """Register all functions, or none if one cannot be registered."""
    # In an open transaction, two statements have the same id; its rollback would remove the
    # functions.
    first, second = (connection.execute("SELECT txid_current()").fetchall() for _ in range(2))
    if first == second:
        raise BadInput(
            "The functions cannot be installed inside an open transaction.",
            suggested_action="COMMIT or ROLLBACK first, then install.",
        )

    def check(text: str | None) -> str:
        """Check the form of an answer while a plan is made."""
        with instance.statements.enter(None) as scope, translate_errors(scope):
            return asking.check_schema(text)

    lease = _get_lease(connection, instance)
    _INSTANCES.append(instance)
    number = len(_INSTANCES) - 1
    try:
        for function in all_functions():
            # One name for our macro, the other for cursors.
            inner = function.make_udf(instance, inner=True)
            lease.register(function.inner, inner, function.type)
            if function.public:
                outer = function.make_udf(instance, inner=False)
                lease.register(function.name, outer, function.type)
        for name, (getter, value_type) in setters.build_getters(instance).items():
            lease.register(name, getter, value_type, [])
        lease.register(_INSTANCE_FUNCTION, lambda: number, "BIGINT", [])
        lease.register(asking.CHECK_SCHEMA, check, "VARCHAR", ["VARCHAR"], volatile=False)
    except load_library("duckdb").Error as error:
        lease.end()
        raise BadInput(
            f"This database has a function of the same name already: {error}.",
            suggested_action="Open it without the extension that brings the function.",
        ) from error


def _get_lease(connection: Any, instance: Instance) -> _Lease:
    """Return the lease of a connection; a new one ends when the connection is closed."""
    for lease in _LEASES.values():
        if lease.connection() is connection and lease.instance is instance:
            return lease
    number = next(_LEASE_NUMBERS)
    lease = _LEASES[number] = _Lease(connection, instance)
    marker = _Marker()
    lease.register(f"{INNER}lease {number}", marker, "VARCHAR", keep=False)
    weakref.finalize(marker, _end_lease, number).atexit = False
    return lease


def _end_lease(number: int) -> None:
    """Release the instance after its last connection was closed."""
    lease = _LEASES.pop(number, None)
    if lease is None:
        return
    if not any(other.instance is lease.instance for other in _LEASES.values()):
        lease.instance.release()


@atexit.register
def _release_all() -> None:
    """Remove the functions and close all resources at the end of the process."""
    for lease in list(_LEASES.values()):
        lease.end()
    for instance in _INSTANCES:
        instance.release()
