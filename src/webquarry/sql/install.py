"""`install`: a DuckDB connection comes in, and the database behind it has our functions.

Functions belong to the database, macros to the connection. Whether a database has them already is
asked of the database itself: one of its functions tells which of our instances it belongs to, so
two names of one database are not two.

DuckDB calls a function by a bare pointer and lets go of it when the connection that registered it
is closed, although other connections still see the function. So ours are never let go of (they are
small); a marker that nobody calls, and that we do not hold, tells when the connection has been
closed.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import threading
import weakref
from collections.abc import Callable, Mapping
from typing import Any

from webquarry.ask.keys import MODEL_KEY, SEARCH_KEY
from webquarry.errors import BadInput
from webquarry.settings import Settings
from webquarry.sql.functions.asking import CHECK_SCHEMA, check_schema
from webquarry.sql.functions.catalogue import all_functions, all_macros
from webquarry.sql.functions.function import INNER, translate_errors
from webquarry.sql.functions.setters import build_getters
from webquarry.sql.functions.types import ValueType, build_sql_type
from webquarry.sql.instance import Instance
from webquarry.sql.interrupts import watcher
from webquarry.sql.libraries import load_library, require_libraries

_INSTANCE_FUNCTION = f"{INNER}instance"  # gives the number of the database's instance
_LOCK = threading.RLock()
_INSTANCES: list[Instance] = []  # by number; never let go of, see above
_HELD: list[Callable[..., Any]] = []
_LEASE_NUMBERS = itertools.count(1)


class _Marker:
    """A function that nobody calls; it lives exactly as long as the connection that has registered
    it is open.
    """

    def __call__(self, *columns: Any) -> Any:
        return columns[0]


class _Lease:
    """One connection that may use the functions."""

    def __init__(self, connection: Any, instance: Instance) -> None:
        self.connection = weakref.ref(connection)
        self.names: list[str] = []
        self.instance = instance

    def end(self) -> None:
        """At the end of the process: functions that are still registered would be reported as
        leaks.
        """
        connection = self.connection()
        if connection is None:
            return
        for name in self.names:
            # Closed in the meantime, or busy: nothing is left to be done.
            with contextlib.suppress(Exception):
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
    """Give a connection and its database our functions. Doing it twice changes nothing but the keys
    that are given.
    """
    require_libraries()
    # DuckDB's own connection, where a library (SQLAlchemy) hands out a wrapper that may go before
    # it.
    connection = getattr(connection.create_function, "__self__", connection)
    with _LOCK:
        instance = find_instance(connection)
        if instance is None:
            if environ is None:
                environ = os.environ
            instance = Instance(settings or Settings.from_environment(environ), environ)
            _register_all(connection, instance)
        else:
            _get_lease(connection, instance)
        watcher.watch(instance)
        for statement in all_macros():
            connection.execute(statement).fetchall()
    if api_key is not None:
        instance.set_key(MODEL_KEY, api_key)
    if brave_api_key is not None:
        instance.set_key(SEARCH_KEY, brave_api_key)
    return instance


def find_instance(connection: Any) -> Instance | None:
    """The instance of the database behind a connection, if our functions are there."""
    with connection.cursor() as cursor:  # an error there does not abort the user's transaction
        try:
            found = cursor.execute(f"SELECT {_INSTANCE_FUNCTION}()").fetchall()
        except load_library("duckdb").CatalogException:
            return None
    number: int = found[0][0]
    return _INSTANCES[number]


def _register_all(connection: Any, instance: Instance) -> None:
    """Give the database every function; none of them when one cannot be registered."""
    # Each statement is a transaction of its own, unless one is open; a rollback of that would take
    # the functions away.
    first = connection.execute("SELECT txid_current()").fetchall()
    second = connection.execute("SELECT txid_current()").fetchall()
    if first == second:
        raise BadInput(
            "The functions cannot be installed inside an open transaction.",
            suggested_action="COMMIT or ROLLBACK first, then install.",
        )
    lease = _get_lease(connection, instance)
    _INSTANCES.append(instance)
    number = len(_INSTANCES) - 1
    try:
        for function in all_functions():
            # One name for our macro, the other for cursors.
            inner = function.make_udf(instance, inner=True)
            _register(connection, lease, function.inner, inner, function.type)
            if function.public:
                outer = function.make_udf(instance, inner=False)
                _register(connection, lease, function.name, outer, function.type)
        getters = build_getters(instance)
        for name, (getter, value_type) in getters.items():
            _register_getter(connection, lease, name, getter, value_type)
        _register_getter(connection, lease, _INSTANCE_FUNCTION, lambda: number, "BIGINT")
        _register_check(connection, lease, instance)
    except load_library("duckdb").Error as error:
        lease.end()
        raise BadInput(
            f"This database has a function of the same name already: {error}.",
            suggested_action="Open it without the extension that brings the function.",
        ) from error


def _register(
    connection: Any, lease: _Lease, name: str, udf: Callable[..., Any], value_type: ValueType
) -> None:
    """A function of Arrow columns, which are of any number and type."""
    _HELD.append(udf)
    _create_function(connection, name, udf, value_type)
    lease.names.append(name)


def _create_function(
    connection: Any, name: str, udf: Callable[..., Any], value_type: ValueType
) -> None:
    """Tell DuckDB of a function that takes any number of Arrow columns and sees NULLs."""
    connection.create_function(
        name,
        udf,
        None,
        connection.type(build_sql_type(value_type)),
        type="arrow",
        null_handling="special",
        side_effects=True,
    )


def _register_getter(
    connection: Any, lease: _Lease, name: str, getter: Callable[[], Any], value_type: ValueType
) -> None:
    """A function without arguments."""
    _HELD.append(getter)
    connection.create_function(
        name,
        getter,
        [],
        connection.type(build_sql_type(value_type)),
        null_handling="special",
        side_effects=True,
    )
    lease.names.append(name)


def _register_check(connection: Any, lease: _Lease, instance: Instance) -> None:
    """The function that looks at the form of an answer while a plan is made."""

    def check(text: str | None) -> str:
        with instance.statements.enter(None) as scope, translate_errors(scope):
            return check_schema(text)

    _HELD.append(check)
    connection.create_function(
        CHECK_SCHEMA, check, ["VARCHAR"], "VARCHAR", null_handling="special", side_effects=False
    )
    lease.names.append(CHECK_SCHEMA)


def _get_lease(connection: Any, instance: Instance) -> _Lease:
    """Notice when the connection is closed; the last one to go releases what the instance has
    opened.
    """
    for lease in _LEASES.values():
        if lease.connection() is connection and lease.instance is instance:
            return lease
    number = next(_LEASE_NUMBERS)
    lease = _Lease(connection, instance)
    _LEASES[number] = lease
    marker = _Marker()
    name = f"{INNER}lease {number}"
    _create_function(connection, name, marker, "VARCHAR")
    lease.names.append(name)
    weakref.finalize(marker, _end_lease, number).atexit = False
    return lease


def _end_lease(number: int) -> None:
    """The connection was closed; without another one, the instance lets go of what it has
    opened.
    """
    lease = _LEASES.pop(number, None)
    if lease is None:
        return
    is_used = any(other.instance is lease.instance for other in _LEASES.values())
    if not is_used:
        lease.instance.release()


@atexit.register
def _release_all() -> None:
    """At the end of the process: take the functions back and close what is open."""
    for lease in list(_LEASES.values()):
        lease.end()
    for instance in _INSTANCES:
        instance.release()
